# After npm ci: whether the Node that it has installed starts here. It needs one library that a bare Debian lacks.
node=node_modules/.bin/node
test ! -e "$node" || said=$("$node" --version 2>&1) || {
  echo "Node cannot start here: $said" >&2
  case $said in
  *libatomic*) echo 'On Debian or Ubuntu, as root: apt install libatomic1. Then npm ci again.' >&2 ;;
  esac
  exit 1
}
