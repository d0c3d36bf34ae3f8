// The public surface as a committed report: a change of it shows in review. `npm run api -- --accept` takes a change over.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from './install.mjs';
import { isMain, must, ROOT } from './run.mjs';

const ENTRIES = [
  { entry: 'index', report: 'parley-mcp.api.md' },
  { entry: 'testing', report: 'parley-mcp-testing.api.md' },
];
const REPORTS = 'docs/api';

const quiet = { default: { logLevel: 'none' } };
const shown = { ...quiet, 'ae-forgotten-export': { logLevel: 'none', addToApiReportFile: true } };

function configure({ ExtractorConfig }, { entry, report, folder }) {
  const whole = join(ROOT, 'package.json');
  return ExtractorConfig.prepare({
    configObjectFullPath: whole,
    packageJsonFullPath: whole,
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: join(ROOT, 'dist', 'src', `${entry}.d.ts`),
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2023',
            lib: ['ES2023'],
            module: 'NodeNext',
            strict: true,
            skipLibCheck: true,
            types: ['node'],
          },
          files: [join(ROOT, 'dist', 'src', `${entry}.d.ts`)],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: report,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { compilerMessageReporting: quiet, extractorMessageReporting: shown, tsdocMessageReporting: quiet },
    },
  });
}

/** The report of one entry as the code stands now. */
function extract(extractor, { entry, report }) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-api-'));
  try {
    mkdirSync(join(folder, 'temp'));
    const errors = [];
    extractor.Extractor.invoke(configure(extractor, { entry, report, folder }), {
      localBuild: true,
      messageCallback: (message) => {
        message.handled = true;
        if (message.logLevel === 'error') errors.push(message.formatMessageWithLocation(ROOT));
      },
    });
    if (errors.length > 0) throw new Error(`Cannot describe the entry "${entry}":\n${errors.join('\n')}`);
    return readFileSync(join(folder, report), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compare({ report, now, accept }) {
  const path = join(ROOT, REPORTS, report);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (before === now) return true;
  if (accept) {
    mkdirSync(join(ROOT, REPORTS), { recursive: true });
    writeFileSync(path, now);
    console.log(`  ${REPORTS}/${report}: written`);
    return true;
  }
  const fresh = join(mkdtempSync(join(tmpdir(), 'parley-api-')), report);
  writeFileSync(fresh, now);
  const known = existsSync(path) ? path : '/dev/null';
  await must('diff', ['-u', known, fresh]).catch(({ message }) => console.log(message.split('\n').slice(1).join('\n')));
  rmSync(join(fresh, '..'), { recursive: true });
  console.log(`  ${REPORTS}/${report}: the public surface changed. If that is meant: npm run api -- --accept`);
  return false;
}

/** Resolves to whether the reports match the code; with `accept` it makes them. */
export async function checkApi({ accept = false } = {}) {
  const there = ENTRIES.filter(({ entry }) => existsSync(join(ROOT, 'dist', 'src', `${entry}.d.ts`)));
  const absent = ENTRIES.filter((entry) => !there.includes(entry)).map(({ entry }) => `src/${entry}.ts does not exist`);
  if (there.length === 0) return { ok: true, missing: absent.join(', ') };
  install('test/tools');
  const extractor = createRequire(join(ROOT, 'test', 'tools', 'package.json'))('@microsoft/api-extractor');
  let ok = true;
  for (const { entry, report } of there) {
    ok = (await compare({ report, now: extract(extractor, { entry, report }), accept })) && ok;
  }
  return absent.length > 0 ? { ok, missing: absent.join(', ') } : { ok };
}

if (isMain(import.meta.url)) {
  const { ok } = await checkApi({ accept: process.argv.includes('--accept') });
  process.exitCode = ok ? 0 : 1;
}
