<?php
/*
 * Writes the dialplan that FreePBX's own modules make of what is configured.
 * php generate.php FOLDER <configuration.json >extensions_additional.conf
 * FOLDER has a checkout of each module, named as the module. The configuration, from test/tools/lab/freepbx-generated.ts:
 * settings, feature codes by module/feature, rows by table, entries of Asterisk's database.
 */
error_reporting(E_ALL & ~E_WARNING & ~E_NOTICE & ~E_DEPRECATED);
ini_set('display_errors', 'stderr');
define('FREEPBX_IS_AUTH', true);
require __DIR__ . '/framework.php';

$source = $argv[1];
$configuration = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
$amp_conf = new Settings($configuration['settings']);
featurecode::$codes = $configuration['codes'];
$version = $configuration['version'];
$engineinfo = ['engine' => 'asterisk', 'version' => $version, 'raw' => $version];
$chan_dahdi = false;
$chan_dahdi_loaded = false;
$ext = new extensions();
$db = FreePBX::Database();
$astman = FreePBX::astman();
$astman->entries = $configuration['entries'];

$modules = array_filter($configuration['modules'], fn($module) => is_dir("$source/$module"));
foreach ($modules as $module) {
	foreach (simplexml_load_file("$source/$module/module.xml")->database->table ?? [] as $table) $db->create($table);
}
foreach ($configuration['tables'] as $table => $rows) foreach ($rows as $row) $db->insert($table, $row);
foreach ($modules as $module) require_once "$source/$module/functions.inc.php";

foreach ($modules as $module) {
	foreach (["{$module}_get_config", "{$module}_do_get_config", "{$module}_hookGet_config"] as $function)
		if (function_exists($function)) $function('asterisk');
	$object = FreePBX::{ucfirst($module)}();
	if (method_exists($object, 'doDialplanHook')) $object->doDialplanHook($ext, 'asterisk', 500);
}
echo $ext->text();
