<?php
/*
 * As much of phpagi, which FreePBX's framework brings along, as FreePBX's dialparties.agi needs. Written for the lab after
 * the AGI protocol; nothing of it is phpagi's.
 */
class AGI {
	public array $request = [];

	public function __construct() {
		while (($line = trim(fgets(STDIN))) !== '') {
			[$name, $value] = explode(':', $line, 2);
			$this->request[$name] = trim($value);
		}
	}

	/** Sends a command; gives its result, and the data in parentheses. */
	private function command(string $command, string ...$arguments): array {
		foreach ($arguments as $argument) $command .= ' "' . addcslashes(str_replace("\n", ' ', $argument), '"\\') . '"';
		echo "$command\n";
		do {
			$line = fgets(STDIN);
			if ($line === false) exit(0);
		} while (trim($line) === '');
		preg_match('/^\d+ result=(-?\d+)(?: \((.*)\))?/s', trim($line), $parts);
		return ['result' => $parts[1] ?? '-1', 'data' => $parts[2] ?? ''];
	}

	public function get_variable($name) { return $this->command('GET VARIABLE', (string) $name); }
	public function set_variable($name, $value) { return $this->command('SET VARIABLE', (string) $name, (string) $value); }
	public function database_get($family, $key) { return $this->command('DATABASE GET', (string) $family, (string) $key); }
	public function database_put($family, $key, $value) { return $this->command('DATABASE PUT', (string) $family, (string) $key, (string) $value); }
	public function database_del($family, $key) { return $this->command('DATABASE DEL', (string) $family, (string) $key); }
	public function verbose($text, $level = 1) { return $this->command('VERBOSE', (string) $text, (string) $level); }
	public function noop($text = '') { return $this->command('NOOP', (string) $text); }
}
