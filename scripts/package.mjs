// Packs the package and uses it the way a stranger would.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from './install.mjs';
import { must, ROOT } from './run.mjs';

const manifest = () => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

async function pack(folder) {
  const output = await must('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--loglevel=error',
    '--pack-destination',
    folder,
  ]);
  const [{ filename, files, size, unpackedSize }] = JSON.parse(output.slice(output.indexOf('[')));
  const stray = files.map(({ path }) => path).filter((path) => /\.test\.|(?:^|\/)test\//.test(path));
  if (stray.length > 0) throw new Error(`The package holds tests: ${stray.join(', ')}`);
  console.log(
    `  ${files.length} files, ${(size / 1024).toFixed(0)} kB packed, ${(unpackedSize / 1024).toFixed(0)} kB unpacked`,
  );
  return join(folder, filename);
}

/** Installs the tarball in an empty project, imports every entry and runs the command. */
async function use(tarball, folder) {
  const { name, version, exports: entries, bin } = manifest();
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  await must('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', tarball], {
    cwd: project,
  });
  const specifiers = Object.keys(entries)
    .filter((entry) => entry !== './package.json')
    .map((entry) => name + entry.slice(1));
  for (const specifier of specifiers) {
    const source = `const names = Object.keys(await import('${specifier}')); if (names.length === 0) throw new Error('exports nothing');`;
    await must(process.execPath, ['--input-type=module', '--eval', source], { cwd: project });
    console.log(`  import "${specifier}" works`);
  }
  for (const command of Object.keys(bin)) {
    const said = (await must(join(project, 'node_modules', '.bin', command), ['--version'], { cwd: project })).trim();
    if (!said.includes(version)) throw new Error(`${command} --version says "${said}", the manifest says "${version}"`);
    console.log(`  ${command} --version says ${said}`);
  }
}

/** Built files the manifest promises and the tree does not have. */
function absentFiles() {
  const { exports: entries, bin } = manifest();
  const promised = [...Object.values(entries).map((entry) => entry.default ?? entry), ...Object.values(bin)];
  return promised.filter((path) => !existsSync(join(ROOT, path)));
}

/** The package as published: valid for its manifest, its types and its users. */
export async function checkPackage() {
  const absent = absentFiles();
  if (absent.length > 0) return { ok: true, missing: `${absent.join(', ')} not built` };
  install('test/tools');
  const folder = mkdtempSync(join(tmpdir(), 'parley-package-'));
  const tool = (name) => join(ROOT, 'test', 'tools', 'node_modules', '.bin', name);
  try {
    const tarball = await pack(folder);
    await must(tool('publint'), ['run', tarball, '--strict']);
    console.log('  publint finds nothing');
    await must(tool('attw'), [tarball, '--profile', 'esm-only', '--no-emoji']);
    console.log('  attw finds nothing');
    await use(tarball, folder);
    return { ok: true };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
