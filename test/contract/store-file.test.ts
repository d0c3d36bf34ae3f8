import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { silent } from '../../src/model/log.ts';
import { createFileStore } from '../../src/store/file.ts';
import { storeContract } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-store-'));
after(() => rmSync(folder, { recursive: true }));

storeContract('files', () => createFileStore(folder, silent));
