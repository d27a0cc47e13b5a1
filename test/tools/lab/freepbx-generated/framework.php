<?php
/*
 * As much of FreePBX's framework as its modules need to write their dialplan: a database, settings, feature codes, and
 * the classes that a line of the dialplan is made of. Written for the lab; nothing of it is FreePBX's.
 */
namespace {

const DB_FETCHMODE_ASSOC = \PDO::FETCH_ASSOC;
const MODULE_STATUS_ENABLED = 2;
const FPBX_LOG_WARNING = 'warning';

/** Whatever the lab has no use for: every method gives null, every field is another one. */
#[\AllowDynamicProperties]
class Nothing {
	public function __call($name, $args) { return null; }
}

interface BMO {}

#[\AllowDynamicProperties]
class FreePBX_Helpers {
	public $FreePBX;
	public function __construct($freepbx = null) { $this->FreePBX = $freepbx; }
	public function __get($name) { return FreePBX::{$name === 'db' ? 'Database' : $name}(); }
	public function __call($name, $args) { return null; }
}

/** `FreePBX::Queues()` and `$freepbx->Queues`: the module's own class. */
class FreePBX {
	private static array $objects = [];
	public static function create() { return new self(); }
	public static function __callStatic($name, $args) { return self::find($name); }
	public function __call($name, $args) { return self::find($name); }
	public function __get($name) { return self::find($name); }
	private static function find(string $name) {
		if (!isset(self::$objects[$name])) {
			$file = "{$GLOBALS['source']}/" . strtolower($name) . "/$name.class.php";
			if (is_file($file)) require_once $file;
			$class = class_exists($name, false) ? $name : "FreePBX\\modules\\$name";
			$own = ['Database' => Database::class, 'astman' => Astman::class, 'Config' => Config::class, 'Modules' => Modules::class];
			self::$objects[$name] = isset($own[$name]) ? new $own[$name]() : (class_exists($class) ? new $class(self::create()) : new Nothing());
		}
		return self::$objects[$name];
	}
}

/** An SQLite database in memory, with the tables that the modules' module.xml name. */
class Database extends \PDO {
	public function __construct() {
		parent::__construct('sqlite::memory:');
		$this->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_EXCEPTION);
		$this->sqliteCreateFunction('CONCAT', fn(...$parts) => implode('', $parts));
	}
	private function rows(string $sql, $params, int $mode): array {
		$statement = $this->prepare($sql);
		$statement->execute(array_values((array) $params));
		return $statement->fetchAll($mode ?: \PDO::FETCH_BOTH);
	}
	public function getAll($sql, $params = [], $mode = 0) { return is_int($params) ? $this->rows($sql, [], $params) : $this->rows($sql, $params, $mode); }
	public function getRow($sql, $params = [], $mode = 0) { return $this->getAll($sql, $params, $mode)[0] ?? []; }
	public function getOne($sql, $params = []) { return $this->rows($sql, $params, \PDO::FETCH_NUM)[0][0] ?? null; }
	public function getCol($sql, $column = 0, $params = []) { return array_column($this->rows($sql, $params, \PDO::FETCH_NUM), $column); }
	public function getAssoc($sql, $column = 0, $params = []) {
		$found = [];
		foreach ($this->rows($sql, $params, \PDO::FETCH_NUM) as $row) $found[$row[0]] = count($row) > 2 ? array_slice($row, 1) : $row[1];
		return $found;
	}
	public static function isError($result) { return false; }
	public function create(\SimpleXMLElement $table): void {
		$columns = [];
		foreach ($table->field as $field) {
			$type = in_array((string) $field['type'], ['integer', 'smallint', 'bigint', 'boolean'], true) ? 'INTEGER' : 'TEXT';
			$empty = !isset($field['default']) && (string) $field['notnull'] === 'false';
			$default = $empty ? 'NULL' : $this->quote((string) $field['default']);
			$columns[] = "`{$field['name']}` $type DEFAULT $default";
		}
		$this->exec("CREATE TABLE IF NOT EXISTS `{$table['name']}` (" . implode(', ', $columns) . ')');
	}
	/** A table that no module names is the framework's own: it gets the row's columns. */
	public function insert(string $table, array $row): void {
		$names = implode('`, `', array_keys($row));
		$this->exec("CREATE TABLE IF NOT EXISTS `$table` (`$names`)");
		$marks = implode(', ', array_fill(0, count($row), '?'));
		$this->prepare("INSERT INTO `$table` (`$names`) VALUES ($marks)")->execute(array_values($row));
	}
}
class DB extends Database {}

/** Asterisk's database: what modules read of it was put in by the lab, what they put in is given to the lab. */
class Astman {
	public array $entries = [];
	public function connected() { return true; }
	public function database_put($family, $key, $value) { $this->entries["$family/$key"] = $value; return true; }
	public function database_get($family, $key) { return $this->entries["$family/$key"] ?? ''; }
	public function database_show($family = '') {
		return array_filter($this->entries, fn($key) => str_starts_with($key, $family), ARRAY_FILTER_USE_KEY);
	}
	public function __call($name, $args) { return null; }
}

class Config {
	public function get($key) { global $amp_conf; return $amp_conf[$key]; }
	public function get_conf_setting($key) { return $this->get($key); }
	public function __call($name, $args) { return null; }
}
class freepbx_conf extends Config {
	public static function create() { return new self(); }
}
class Modules {
	public function __call($name, $args) { return false; }
}

/** Settings: the lab's, and nothing for all others. */
class Settings implements \ArrayAccess {
	public function __construct(private array $settings) {}
	public function offsetExists(mixed $key): bool { return isset($this->settings[$key]); }
	public function offsetGet(mixed $key): mixed { return $this->settings[$key] ?? ''; }
	public function offsetSet(mixed $key, mixed $value): void { $this->settings[$key] = $value; }
	public function offsetUnset(mixed $key): void { unset($this->settings[$key]); }
}

class featurecode {
	public static array $codes = [];
	public function __construct(private $module, private $feature) {}
	public function getCodeActive() { return self::CodeActive($this->module, $this->feature); }
	public static function CodeActive($module, $feature) { return self::$codes["$module/$feature"] ?? ''; }
	public function __call($name, $args) { return null; }
}
class notifications {
	public static function create() { return new self(); }
	public function __call($name, $args) { return false; }
}

if (!function_exists('_')) { function _(string $text) { return $text; } }
function sql($sql, $kind = 'query', $mode = \PDO::FETCH_BOTH) {
	$db = FreePBX::Database();
	return $kind === 'query' ? $db->query($sql) : $db->{$kind}($sql, [], $mode);
}
function q($text) { return FreePBX::Database()->quote($text); }
function freepbx_trim($text) { return trim((string) $text); }
function freepbx_log(...$args) {}
function ast_with_dahdi() { return false; }
function module_getinfo(...$args) { return []; }
function engine_getinfo(...$args) { return []; }
function featurecodes_getModuleFeatures(...$args) { return []; }
function edit_crontab(...$args) { return []; }
function checkRange($extension) { return true; }
function recordings_get_file($id) { return $id ? 'digits/1' : ''; }

/** A dialplan: contexts, their includes, extensions with their commands. */
class extensions {
	private array $exts = [];
	private array $includes = [];
	private array $globals = [];
	private array $hints = [];
	public function add($context, $exten, $tag, $command, $base = false, $add = false) {
		$this->exts[$context][" $exten"][] = ['tag' => $tag, 'command' => $command, 'base' => $base, 'add' => $add];
	}
	public function addInclude($context, $included, $comment = '') { $this->includes[$context][$included] = true; $this->exts[$context] ??= []; }
	public function addGlobal($name, $value) { $this->globals[$name] = $value; }
	public function addHint($context, $exten, $hint) { $this->hints[$context][" $exten"][] = $hint; $this->exts[$context] ??= []; }
	public function splice($context, $exten, $priority, $command, $tag = '', $offset = 0) {
		$lines = &$this->exts[$context][" $exten"];
		$lines ??= [];
		$at = $priority;
		if (!ctype_digit((string) $priority)) {
			$found = array_search($priority, array_column($lines, 'tag'), true);
			$at = $found === false ? count($lines) : max(0, $found + $offset);
		}
		array_splice($lines, (int) $at, 0, [['tag' => $tag, 'command' => $command, 'base' => false, 'add' => false]]);
	}
	public function replace($context, $exten, $priority, $command) {
		$this->exts[$context][" $exten"][$this->placeOf($context, $exten, $priority)]['command'] = $command;
	}
	public function remove($context, $exten, $priority) {
		array_splice($this->exts[$context][" $exten"], $this->placeOf($context, $exten, $priority), 1);
	}
	private function placeOf($context, $exten, $priority): int {
		if (ctype_digit((string) $priority)) return $priority - 1;
		return (int) array_search($priority, array_column($this->exts[$context][" $exten"], 'tag'), true);
	}
	public function __call($name, $args) {}
	public function text(): string {
		$text = "[globals]\n";
		foreach ($this->globals as $name => $value) $text .= "$name = $value\n";
		foreach ($this->exts as $context => $extens) {
			$text .= "\n[$context]\ninclude => $context-custom\n";
			foreach (array_keys($this->includes[$context] ?? []) as $included) $text .= "include => $included\n";
			foreach ($extens as $exten => $lines) {
				$next = '1';
				foreach ($lines as ['tag' => $tag, 'command' => $command, 'base' => $base, 'add' => $add]) {
					$line = $command->output();
					if ($line === false) continue;
					$priority = $base ? $base . ($add ? "+$add" : '') : $next;
					$text .= 'exten => ' . trim($exten) . ",$priority" . ($tag ? "($tag)" : '') . ",$line\n";
					$next = 'n';
				}
			}
			foreach ($this->hints[$context] ?? [] as $exten => $hints)
				foreach ($hints as $hint) $text .= 'exten => ' . trim($exten) . ",hint,$hint\n";
		}
		return $text;
	}
}

/** One command of a dialplan. `ext_noop('x')` is `Noop(x)`, and so on; those that are written otherwise are below. */
#[\AllowDynamicProperties]
class extension {
	public const NAMES = ['vm' => 'VoiceMail', 'vmmain' => 'VoiceMailMain', 'endwhile' => 'EndWhile', 'sipaddheader' => 'SIPAddHeader'];
	protected array $args;
	public function __construct(...$args) { $this->args = $args; }
	public function output() {
		$name = strtolower(substr(static::class, 4));
		$written = (self::FORMS[$name] ?? null);
		if ($written !== null) return $written(...array_pad($this->args, 6, ''));
		return (self::NAMES[$name] ?? $name) . '(' . implode(',', $this->args) . ')';
	}
	private const FORMS = [
		'goto' => [self::class, 'jump'], 'gosub' => [self::class, 'gosub'], 'gotoif' => [self::class, 'gotoIf'],
		'gosubif' => [self::class, 'gosubIf'], 'gotoiftime' => [self::class, 'gotoIfTime'], 'execif' => [self::class, 'execIf'],
		'set' => [self::class, 'set'], 'setvar' => [self::class, 'set'], 'sethash' => [self::class, 'setHash'],
		'macro' => [self::class, 'macro'], 'macroexit' => [self::class, 'macroExit'], 'noop_trace' => [self::class, 'nothing'],
		'dbget' => [self::class, 'dbGet'], 'dbput' => [self::class, 'dbPut'], 'db_put' => [self::class, 'dbPutIn'], 'dbdel' => [self::class, 'dbDel'],
		'setcidname' => [self::class, 'setName'], 'setcallernamepres' => [self::class, 'setNamePres'], 'setcallernumpres' => [self::class, 'setNumPres'],
		'setmusiconhold' => [self::class, 'setMusic'], 'setlanguage' => [self::class, 'setLanguage'], 'nocdr' => [self::class, 'noCdr'],
		'vmexists' => [self::class, 'vmExists'], 'digittimeout' => [self::class, 'digitTimeout'], 'responsetimeout' => [self::class, 'responseTimeout'],
		'meetme' => [self::class, 'conference'],
	];
	private static function jump($pri, $ext, $context) { return 'Goto(' . implode(',', array_filter([$context, $ext, $pri], fn($part) => (string) $part !== '')) . ')'; }
	private static function gosub($pri, $ext, $context, $args) { return 'Gosub(' . implode(',', array_filter([$context, $ext, $pri], fn($part) => (string) $part !== '')) . "($args))"; }
	private static function gotoIf($if, $then, $else) { return "GotoIf($if?$then" . ($else ? ":$else" : '') . ')'; }
	private static function gosubIf($if, $then, $else, $thenArgs, $elseArgs) { return "GosubIf($if?$then($thenArgs)" . ($else ? ":$else($elseArgs)" : '') . ')'; }
	private static function gotoIfTime($when, $then) { return 'GotoIfTime(' . str_replace('|', ',', $when) . "?$then)"; }
	private static function execIf($if, $app, $data, $elseApp, $elseData) { return "ExecIf($if?$app($data)" . ($elseApp === '' ? '' : ":$elseApp($elseData)") . ')'; }
	private static function set($name, $value) { return "Set($name=$value)"; }
	private static function setHash($hash, $name, $value) { return "Set(HASH($hash,$name)=$value)"; }
	// Asterisk 21 left Macro out; FreePBX 16 writes it.
	private static function hasMacro() { return version_compare($GLOBALS['version'], '17', '<'); }
	private static function macro($name, $args) { return self::hasMacro() ? "Macro($name,$args)" : "Gosub(macro-$name,s,1($args))"; }
	private static function macroExit() { return self::hasMacro() ? 'MacroExit()' : 'Return()'; }
	private static function nothing() { return false; }
	private static function dbGet($name, $key) { return "Set($name=\${DB($key)})"; }
	private static function dbPut($key, $value) { return "Set(DB($key)=$value)"; }
	private static function dbPutIn($family, $key, $value) { return "Set(DB($family/$key)=$value)"; }
	private static function dbDel($key) { return "Noop(\${DB_DELETE($key)})"; }
	private static function setName($name) { return "Set(CALLERID(name)=$name)"; }
	private static function setNamePres($value) { return "Set(CALLERID(name-pres)=$value)"; }
	private static function setNumPres($value) { return "Set(CALLERID(num-pres)=$value)"; }
	private static function setMusic($class) { return "Set(CHANNEL(musicclass)=$class)"; }
	private static function setLanguage($language) { return "Set(CHANNEL(language)=$language)"; }
	private static function noCdr() { return 'Set(CDR_PROP(disable)=true)'; }
	private static function vmExists($box) { return "Set(VMBOXEXISTSSTATUS=\${IF(\${VM_INFO($box,exists)}?SUCCESS:FAILED)})"; }
	private static function digitTimeout($seconds) { return "Set(TIMEOUT(digit)=$seconds)"; }
	private static function responseTimeout($seconds) { return "Set(TIMEOUT(response)=$seconds)"; }
	private static function conference($number) { return "ConfBridge($number)"; }
}

spl_autoload_register(function (string $class): void {
	global $source;
	if (preg_match('/^ext_\w+$/i', $class)) {
		eval("class $class extends extension {}");
		return;
	}
	// Libraries that the framework brings along; nothing of the dialplan comes from them.
	if (preg_match('/^(Psr|Symfony|Doctrine|Carbon|Monolog)\\\\/', $class)) {
		class_alias(Nothing::class, $class);
		return;
	}
	if (!preg_match('/^FreePBX\\\\modules\\\\(\w+)(.*)$/', $class, $parts)) return;
	$folder = "$source/" . strtolower($parts[1]);
	$file = $parts[2] === '' ? "$folder/$parts[1].class.php" : $folder . str_replace('\\', '/', $parts[2]) . '.php';
	if (is_file($file)) require_once $file;
});
}
