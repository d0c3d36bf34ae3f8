import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aliasesOf, checkNamespace, checkToolName, LONGEST_NAME, labelIn, nameIn, resolveName } from './namespace.ts';

test('nameIn joins nested namespaces and leaves a name without one alone', () => {
  assert.equal(nameIn([], 'add'), 'add');
  assert.equal(nameIn([], 'my__add'), 'my__add');
  assert.equal(nameIn(['far'], 'add'), 'far__add');
  assert.equal(nameIn(['a', 'b'], 'tool'), 'a__b__tool');
});

test('a namespace that could be misread is refused by name', () => {
  assert.throws(() => nameIn(['a__b'], 'add'), new TypeError('Cannot mount "a__b": a namespace may not hold "__"'));
  assert.throws(() => nameIn(['mcp'], 'add'), new TypeError('Cannot mount "mcp": the namespace "mcp" is reserved'));
  assert.throws(() => nameIn(['ok', 'a__b'], 'add'), /Cannot mount "a__b"/);
  for (const bad of ['', ' ', 'a b', 'a/b', 'é', 'a\n', '🙂']) assert.throws(() => checkNamespace(bad), TypeError, bad);
  for (const good of ['a', 'A-1.b_c', 'mcp2', '_', '-']) assert.doesNotThrow(() => checkNamespace(good));
});

test('an item name that holds the separator is refused under a namespace', () => {
  assert.throws(
    () => nameIn(['far'], 'a__b'),
    new TypeError('Cannot mount "far": the name "a__b" may not hold "__" under a namespace'),
  );
});

test('checkToolName holds names to the rule and states it', () => {
  for (const bad of ['', 'a b', 'a/b', 'a\n', 'x'.repeat(65), 'naïve']) {
    assert.throws(() => checkToolName(bad), /1 to 64 of A-Z a-z 0-9/, bad);
  }
  for (const good of ['a', 'x'.repeat(64), 'A.b-c_9']) assert.doesNotThrow(() => checkToolName(good));
});

test('a name over the limit is shortened the same way every time and reported', () => {
  const said: unknown[] = [];
  const name = 't'.repeat(60);
  const short = nameIn(['namespace'], name, (...line) => said.push(line));
  assert.equal(short.length, LONGEST_NAME);
  assert.match(short, /^namespace__t{44}_[0-9a-f]{8}$/);
  assert.equal(nameIn(['namespace'], name), short);
  assert.notEqual(nameIn(['namespace'], `${name}x`), short);
  assert.deepEqual(said, [
    ['warn', 'Shortened a name over 64 characters', { name: `namespace__${name}`, shown: short }],
  ]);
});

test('a name of exactly the limit is left alone', () => {
  const name = 'n'.repeat(LONGEST_NAME - 4);
  assert.equal(nameIn(['ab'], name, assert.fail), `ab__${name}`);
});

test('labelIn joins without a rule, for names nobody looks up', () => {
  assert.equal(labelIn(['far'], '__init__.py of the house'), 'far____init__.py of the house');
});

test('the long form is an alias of a namespaced name only', () => {
  assert.deepEqual(aliasesOf('far__add'), ['mcp__far__add']);
  assert.deepEqual(aliasesOf('add'), []);
  assert.equal(resolveName('mcp__far__add'), 'far__add');
  assert.equal(resolveName('mcp__a__b__tool'), 'a__b__tool');
  for (const same of ['mcp__add', 'add', 'far__add', 'mcp__', 'mcp', 'MCP__far__add', ''])
    assert.equal(resolveName(same), same);
});

test('every alias resolves to its name and no listed name exceeds the limit', () => {
  const part = fc.stringMatching(/^[a-z][a-z_.-]{0,40}$/).filter((text) => !text.includes('__') && text !== 'mcp');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 3 }), part, (namespaces, name) => {
      const shown = nameIn(namespaces, name);
      assert.ok(shown.length <= LONGEST_NAME);
      for (const alias of aliasesOf(shown)) assert.equal(resolveName(alias), shown);
    }),
    { numRuns: 300 },
  );
});
