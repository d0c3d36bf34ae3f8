import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { visibleText } from '../../src/catalog/visible.ts';
import { PRESETS } from '../../src/host/presets/presets.ts';
import { openHost } from '../../src/host/settings.ts';
import { LIMITS } from '../../src/model/limits.ts';

for (const preset of Object.keys(PRESETS)) {
  test(`what the preset ${preset} offers would pass as the work of others`, async () => {
    const variables = { tools: 'true', resources: 'true', fileRoot: tmpdir(), logFiles: 'false' };
    const host = await openHost({ preset, modules: [], logLevel: 'silent', variables });
    const catalog = host.catalog();
    const { tools } = catalog.tools();
    const { prompts } = catalog.prompts();
    const { resources } = catalog.resources();
    const { templates } = catalog.templates();
    const items = [...tools, ...prompts, ...resources, ...templates];
    assert.ok(items.length > 0);
    for (const item of items) {
      const text = JSON.stringify(item);
      assert.equal(visibleText(text), text, item.name);
      assert.ok(text.length <= LIMITS.definitionLength.default, item.name);
      assert.ok((item.description ?? '').length <= LIMITS.descriptionLength.default, item.name);
      assert.doesNotMatch(item.description ?? '', / \[…\]$/, item.name);
    }
    host.close();
  });
}
