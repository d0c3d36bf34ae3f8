import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { joinModules, withoutReading } from './join.mjs';
import { checkLazy, partText, standInText } from './parts.mjs';
import { ROOT } from './run.mjs';

describe('withoutReading', () => {
  it('fetches a builtin, whole or by name, under another name, and over several lines', () => {
    assert.equal(withoutReading("import net from 'node:net';"), "const net = process.getBuiltinModule('node:net');");
    assert.equal(
      withoutReading("import { join, resolve as from } from 'node:path';"),
      "const { join, resolve: from } = process.getBuiltinModule('node:path');",
    );
    assert.equal(
      withoutReading("import {\n  setTimeout as wait,\n} from 'node:timers/promises';"),
      "const {\n  setTimeout: wait,\n} = process.getBuiltinModule('node:timers/promises');",
    );
  });

  it('leaves names of node:fs to the guard, which replaces some', () => {
    const text = "import { writeSync } from 'node:fs';";
    assert.equal(withoutReading(text), text);
    assert.equal(
      withoutReading("import { stat } from 'node:fs/promises';"),
      "const { stat } = process.getBuiltinModule('node:fs/promises');",
    );
  });

  it('loads node:crypto late where only functions are taken from it that make something', () => {
    const late = withoutReading("import { createHash, randomBytes } from 'node:crypto';");
    assert.match(late, /const createHash = \(\.\.\.input\) => .*\.createHash\(\.\.\.input\);/);
    assert.match(late, /const randomBytes = \(/);
    assert.equal(
      withoutReading("import { constants, verify } from 'node:crypto';"),
      "const { constants, verify } = process.getBuiltinModule('node:crypto');",
    );
  });

  it('leaves imports of other modules and texts about imports alone', () => {
    for (const text of [
      "import { a } from './a.js';",
      "import jiti from 'jiti';",
      '  say("import a from \'node:fs\';");',
    ])
      assert.equal(withoutReading(text), text);
  });
});

describe('a part', () => {
  const part = {
    name: 'main',
    names: new Map([
      ['/a.js', [{ name: 'same', outer: 'same' }]],
      ['/b.js', [{ name: 'same', outer: 'same$1' }]],
    ]),
  };

  it('exports what its modules do, each under a name of its own, and stands in for each', () => {
    assert.equal(partText(part), 'export {same as same} from "/a.js";\nexport {same as same$1} from "/b.js";');
    assert.equal(standInText(part, '/b.js'), "export {same$1 as same} from './main.js';");
  });

  it('exports nothing of a module that only its own modules import', () => {
    const names = new Map([['/c.js', []], ...part.names]);
    assert.equal(partText({ ...part, names }), partText(part));
  });

  it('is imported lazily only under names that were not taken', () => {
    checkLazy(part, '/a.js');
    assert.throws(() => checkLazy(part, '/b.js'), /part "main" has another "same"/);
  });
});

describe('the joined command', () => {
  let folder;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-joined-'));
    await joinModules({ from: join(ROOT, 'dist', 'src'), to: join(folder, 'joined') });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(folder, 'loaded.cjs'),
      "process.on('exit', () => process.stderr.write(JSON.stringify(process.moduleLoadList)));",
    );
  });
  after(() => rmSync(folder, { recursive: true }));

  function loadedBy(...args) {
    const input = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
    const { stdout, stderr } = spawnSync(process.execPath, ['--require', join(folder, 'loaded.cjs'), ...args], {
      input,
      env: { ...process.env, PARLEY_LOG_LEVEL: 'silent' },
      encoding: 'utf8',
    });
    return { stdout, builtins: new Set(JSON.parse(stderr).map((name) => name.replace('NativeModule ', ''))) };
  }

  it('answers on stdio without loading what stdio does not need', () => {
    const { stdout, builtins } = loadedBy(join(folder, 'joined', 'parley.js'), 'stdio');
    assert.equal(JSON.parse(stdout).id, 1);
    const bare = loadedBy('-e', '0').builtins;
    for (const name of ['crypto', 'worker_threads', 'child_process', 'http', 'tls', 'dns', 'cluster']) {
      assert.ok(!builtins.has(name) || bare.has(name), `node:${name} was loaded`);
    }
  });

  it('has an entry that loads nothing but what every server needs', () => {
    const imported = readFileSync(join(folder, 'joined', 'index.js'), 'utf8').matchAll(/from"\.\/([^"]+)"/g);
    assert.deepEqual([...new Set([...imported].map(([, name]) => name))].sort(), ['serving.js', 'start.js']);
  });

  it('keeps what only some calls need out of what every server loads', () => {
    const serving = readFileSync(join(folder, 'joined', 'serving.js'), 'utf8');
    assert.match(serving, /supportive_reply/);
    for (const name of ['TaskShelf', 'AuditFile', 'ContextShelf', 'CRISIS_SIGNALS', 'VOICES'])
      assert.doesNotMatch(serving, new RegExp(`\\b${name}\\b\\s*=`), name);
  });

  it('gives a module the classes the command itself has', () => {
    const program = `import { Fault } from ${JSON.stringify(join(folder, 'joined', 'index.js'))};
      import * as serving from ${JSON.stringify(join(folder, 'joined', 'serving.js'))};
      if (serving.Fault !== Fault) throw new Error('another class');`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });
});
