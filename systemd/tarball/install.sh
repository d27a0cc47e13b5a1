#!/bin/sh
# Installs pbx-bridge on a Linux without Debian's packages, from the folder that the archive was unpacked to. As root:
#   sh install.sh              installs it, or upgrades it; asks nothing
#   sh install.sh uninstall    removes the program; settings, data and users stay
#   sh install.sh purge        removes them too
set -e

home=/usr/lib/pbx-bridge
units=/usr/lib/systemd/system
from=$(cd "$(dirname "$0")" && pwd)

refuse() { echo "pbx-bridge: $1" >&2; exit 1; }
has() { command -v "$1" > /dev/null; }
booted() { [ -d /run/systemd/system ]; }

# Creates the user $1 and its directories. Only it and root can read the settings file $2, a copy of the sample $3; an
# existing file is kept unchanged.
program() {
    if ! id "$1" > /dev/null 2>&1; then
        useradd --system --user-group --no-create-home --home-dir "/var/lib/$1" --shell /usr/sbin/nologin "$1"
    fi
    # New files in it are the group's too, such as those of further instances.
    install -d -m 2750 -o root -g "$1" "/etc/$1"
    install -d -m 0700 -o "$1" -g "$1" "/var/cache/$1"
    if [ ! -e "/etc/$1/$2" ]; then install -m 0640 -o root -g "$1" "$home/config/$3" "/etc/$1/$2"; fi
}

put() {
    # The loader's own words say which library is missing.
    "$from$home/bin/node" --version > /dev/null ||
        refuse "its Node does not run here: it needs glibc 2.28 or later, libstdc++ and libatomic"
    for needed in useradd setpriv getent systemctl; do
        has $needed || refuse "$needed is missing: it needs systemd, util-linux and shadow"
    done
    first=no
    if [ ! -e $home ]; then first=yes; fi
    umask 022
    rm -rf $home.new
    mkdir -p $units /usr/bin /usr/share
    cp -R "$from$home" $home.new
    cp "$from/install.sh" $home.new/
    rm -rf $home
    mv $home.new $home
    cp "$from"/lib/systemd/system/* $units/
    cp "$from/usr/bin/pbx-bridge" /usr/bin/
    cp -R "$from"/usr/share/* /usr/share/
    chown -R root:root $home

    program pbx-bridge bridge.env pbx-bridge.env.example
    install -d -m 0750 -o root -g pbx-bridge /var/lib/pbx-bridge
    # The only folder there that a command may write to beside the state: for backups and bug reports.
    install -d -m 0700 -o pbx-bridge -g pbx-bridge /var/lib/pbx-bridge/backups
    program pbx-bridge-service service.env pbx-bridge-service.env.example
    install -d -m 0700 -o pbx-bridge-service -g pbx-bridge-service /var/lib/pbx-bridge-service

    # Enabled once; if the administrator disables it later, it stays so.
    if [ $first = yes ]; then systemctl --quiet enable pbx-bridge.service; fi
    configured=no
    if grep -q '^AMI_USERNAME=.' /etc/pbx-bridge/bridge.env; then configured=yes; fi
    if booted; then
        systemctl daemon-reload
        # Without waiting: a start takes up to a minute while Asterisk does not answer.
        systemctl --no-block try-restart pbx-bridge-service.service 'pbx-bridge@*.service'
        if [ $configured = yes ] && systemctl --quiet is-enabled pbx-bridge.service; then
            systemctl --no-block restart pbx-bridge.service
        fi
        # Those that a removal has stopped.
        for link in /etc/systemd/system/multi-user.target.wants/pbx-bridge@*.service; do
            if [ -e "$link" ]; then systemctl --no-block start "${link##*/}"; fi
        done
    fi
    if [ $configured = no ] && ! systemctl --quiet is-enabled pbx-bridge-service.service 2> /dev/null; then
        echo 'pbx-bridge: next, on a PBX: pbx-bridge setup API_BASE_URL=... API_TOKEN=... DEFAULT_COUNTRY=...'
        echo 'pbx-bridge: next, for the service: systemctl enable --now pbx-bridge-service'
    fi
    echo "pbx-bridge: to remove it: sh $home/install.sh uninstall"
}

uninstall() {
    if booted; then
        systemctl stop pbx-bridge.service pbx-bridge-service.service 'pbx-bridge@*.service' || true
    fi
    systemctl --quiet disable pbx-bridge.service pbx-bridge-service.service 2> /dev/null || true
    rm -f /etc/systemd/system/multi-user.target.wants/pbx-bridge@*.service
    rm -rf $home /usr/bin/pbx-bridge $units/pbx-bridge.service $units/pbx-bridge@.service
    rm -rf $units/pbx-bridge-service.service /usr/share/bash-completion/completions/pbx-bridge
    rm -rf /usr/share/doc/pbx-bridge /usr/share/man/man1/pbx-bridge.1.gz
    rm -rf /usr/share/man/man1/pbx-bridge-service.1.gz /usr/share/man/man5/pbx-bridge.env.5.gz
    if booted; then systemctl daemon-reload; fi
}

purge() {
    rm -rf /etc/pbx-bridge /var/lib/pbx-bridge /etc/pbx-bridge-service /var/lib/pbx-bridge-service
    rm -rf /var/cache/pbx-bridge /var/cache/pbx-bridge-service
    for user in pbx-bridge pbx-bridge-service; do
        if id $user > /dev/null 2>&1; then userdel $user; fi
    done
}

[ "$(id -u)" = 0 ] || refuse 'run this as root'
if [ -e /var/lib/dpkg/info/pbx-bridge.list ]; then refuse 'it is installed by its Debian package: use apt'; fi
case "${1-}" in
    '') put ;;
    uninstall) uninstall ;;
    purge) uninstall; purge ;;
    *) refuse "got '$1'; takes nothing, uninstall or purge" ;;
esac
