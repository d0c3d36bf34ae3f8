import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTemplate, type TemplateValues } from './template.ts';
import { LONGEST_URI } from './template-match.ts';

const VALUES: TemplateValues = {
  count: ['one', 'two', 'three'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: {},
  none: undefined,
};

const EXPANSIONS: readonly [string, string][] = [
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['O{none}X', 'OX'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['?{x,empty}', '?1024,'],
  ['?{x,none}', '?1024'],
  ['{var:3}', 'val'],
  ['{var:30}', 'value'],
  ['{list}', 'red,green,blue'],
  ['{list*}', 'red,green,blue'],
  ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
  ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
  ['{+hello}', 'Hello%20World!'],
  ['{+half}', '50%25'],
  ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['{+base}index', 'http://example.com/home/index'],
  ['{+path:6}here', '/foo/bhere'],
  ['{+keys*}', 'semi=;,dot=.,comma=,'],
  ['{#x,hello,y}', '#1024,Hello%20World!,768'],
  ['foo{#none}', 'foo'],
  ['{#keys}', '#semi,;,dot,.,comma,,'],
  ['X{.var}', 'X.value'],
  ['X{.empty}', 'X.'],
  ['X{.list*}', 'X.red.green.blue'],
  ['X{.empty_keys}', 'X'],
  ['{/who,who}', '/fred/fred'],
  ['{/half,who}', '/50%25/fred'],
  ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
  ['{/keys*}', '/semi=%3B/dot=./comma=%2C'],
  ['{;v,empty,who}', ';v=6;empty;who=fred'],
  ['{;hello:5}', ';hello=Hello'],
  ['{;list*}', ';list=red;list=green;list=blue'],
  ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?x,y,none}', '?x=1024&y=768'],
  ['{?keys}', '?keys=semi,%3B,dot,.,comma,%2C'],
  ['{?empty_keys*}', ''],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{&list*}', '&list=red&list=green&list=blue'],
  ['caf\u00e9/{var}', 'caf%C3%A9/value'],
];

test('expand writes what RFC 6570 says', () => {
  for (const [template, uri] of EXPANSIONS) assert.equal(createTemplate(template).expand(VALUES), uri, template);
});

const MATCHES: readonly [template: string, uri: string, values: Record<string, string> | undefined][] = [
  ['note://{id}', 'note://1', { id: '1' }],
  ['note://{id}', 'note://a%20b%2Fc', { id: 'a b/c' }],
  ['note://{id}', 'note://bob@example.com', { id: 'bob@example.com' }],
  ['note://{id}', 'note://a,b', { id: 'a,b' }],
  ['note://{id}', 'note://', undefined],
  ['note://{id}', 'note://a/b', undefined],
  ['note://{id}', 'note://a?b', undefined],
  ['note://{id}', 'xnote://a', undefined],
  ['note://{id}', 'note://%zz', undefined],
  ['note://{id}', 'note://%4', undefined],
  ['note://{id}', 'note://%C3', undefined],
  ['note://{id}', 'note://%A9', undefined],
  ['note://{id}', 'note://\u00e9', { id: '\u00e9' }],
  ['note://{id}', 'note://\ud800', undefined],
  ['note://{__proto__}', 'note://x', JSON.parse('{"__proto__":"x"}')],
  ['note://fixed', 'note://fixed', {}],
  ['note://fixed', 'note://fixed1', undefined],
  ['caf\u00e9://{x}', 'caf%C3%A9://1', { x: '1' }],
  ['caf\u00e9://{x}', 'caf\u00e9://1', { x: '1' }],
  ['x://{a}-{b}', 'x://1-2-3', { a: '1-2', b: '3' }],
  ['x://{a}-x', 'x://1-x-x', { a: '1-x' }],
  ['x://{a}{b}', 'x://12', { a: '1', b: '2' }],
  ['x://{a}{b}', 'x://%C3%A9%41', { a: '\u00e9', b: 'A' }],
  ['x://{a}{b}', 'x://1', undefined],
  ['x://{a,b}', 'x://1,2', { a: '1', b: '2' }],
  ['x://{a,b}', 'x://1', undefined],
  ['x://{a}/{a}', 'x://1/1', { a: '1' }],
  ['x://{a}/{a}', 'x://1/2', undefined],
  ['x://{a:1}/{a}', 'x://f/fred', { a: 'fred' }],
  ['x://{a:1}/{a}', 'x://g/fred', undefined],
  ['x://{a}/{a:1}', 'x://fred/f', { a: 'fred' }],
  ['x://{a:2}{b}', 'x://abcd', { a: 'ab', b: 'cd' }],
  ['x://{a:2}', 'x://abc', undefined],
  ['x://{a:1}', 'x://%C3%A9', { a: '\u00e9' }],
  ['x:{+rest}', 'x:/a/b?c#d', { rest: '/a/b?c#d' }],
  ['x:{+rest}', 'x:a%20b', { rest: 'a b' }],
  ['x:{+rest}.md', 'x:a.md.md', { rest: 'a.md' }],
  ['x:{+a}/{b}', 'x:1/2/3', { a: '1/2', b: '3' }],
  ['x:doc{#part}', 'x:doc#one', { part: 'one' }],
  ['x:doc{#part}', 'x:doc', {}],
  ['x:doc{#part}', 'x:doc#', { part: '' }],
  ['x:doc{#a,b}', 'x:doc#1,2,3', { a: '1', b: '2,3' }],
  ['x:doc{#a,b}', 'x:doc#1', { a: '1' }],
  ['x:{name}{.ext}', 'x:archive.tar.gz', { name: 'archive.tar', ext: 'gz' }],
  ['x:a{.ext}', 'x:a', undefined],
  ['x:a{.parts*}', 'x:a.b.c', { parts: 'b.c' }],
  ['x:/users{/id}', 'x:/users/7', { id: '7' }],
  ['x:/users{/id}', 'x:/users', undefined],
  ['x:/users{/id}', 'x:/users/7/8', undefined],
  ['x:{/a,b}', 'x:/1/2', { a: '1', b: '2' }],
  ['file:{/path*}', 'file:/a/b%20c', { path: 'a/b c' }],
  ['file:{/path*}{?v}', 'file:/a/b?v=1', { path: 'a/b', v: '1' }],
  ['x:m{;a,b}', 'x:m;b=2;a=1', { a: '1', b: '2' }],
  ['x:m{;a}', 'x:m;a', { a: '' }],
  ['x:{m}{;a}', 'x:m;a=1', { m: 'm', a: '1' }],
  ['x:s{?a,b}', 'x:s', {}],
  ['x:s{?a,b}', 'x:s?a=1', { a: '1' }],
  ['x:s{?a,b}', 'x:s?b=2&a=1', { a: '1', b: '2' }],
  ['x:s{?a,b}', 'x:s?a=%26%3D', { a: '&=' }],
  ['x:s{?a,b}', 'x:s?a=1=2', { a: '1=2' }],
  ['x:s{?a,b}', 'x:s?c=1', undefined],
  ['x:s{?a,b}', 'x:s?a=1&a=2', undefined],
  ['x:s{?a,b}', 'x:s?a=%', undefined],
  ['x:s{?a,b}', 'x:s?', undefined],
  ['x:s{?a*}', 'x:s?a=1&a=2', { a: '1,2' }],
  ['x:s{?a*}', 'x:s?k=1&l=2', { a: 'k=1,l=2' }],
  ['x:s{?a}{&b}', 'x:s?a=1&b=2', { a: '1', b: '2' }],
  ['x:s{?a}{&b}', 'x:s&b=2', { b: '2' }],
  ['x:s?f=1{&a}', 'x:s?f=1&a=2', { a: '2' }],
  ['x:s?f={f}{&a}', 'x:s?f=1&a=2', { f: '1', a: '2' }],
  ['x:s?f={f}&g={g}', 'x:s?f=1&g=2', { f: '1', g: '2' }],
  ['x:s{?a}#end', 'x:s?a=1#end', { a: '1' }],
];

test('match finds the values that make a URI and refuses every other URI', () => {
  for (const [template, uri, values] of MATCHES) {
    assert.deepEqual(createTemplate(template).match(uri), values, `${template} ${uri}`);
  }
});

const BAD = [
  '{',
  'a{b',
  '}',
  'a}b',
  '{}',
  '{+}',
  '{a',
  '{{a}}',
  '{a,}',
  '{,a}',
  '{=a}',
  '{!a}',
  '{|a}',
  '{@a}',
  '{a b}',
];
const BAD_TOO = [
  '{a-b}',
  '{a.}',
  '{.a.}',
  '{a..b}',
  '{a:0}',
  '{a:10000}',
  '{a:}',
  '{a:x}',
  '{a:1:2}',
  '{a:1*}',
  '{a**}',
];
const BAD_LITERALS = ['a b{x}', 'a"{x}', '%{x}', '%4{x}', 'a\n{x}', 'a|{x}', 'a<{x}>', '\ud800{x}'];

test('createTemplate refuses what is no template and names it', () => {
  for (const text of [...BAD, ...BAD_TOO, ...BAD_LITERALS]) {
    assert.throws(
      () => createTemplate(text),
      (error) => error instanceof TypeError && error.message.includes(text),
      text,
    );
  }
});

test('variables are listed once in the order they appear', () => {
  assert.deepEqual(createTemplate('x:{b}/{a}{?b,c*}').variables, ['b', 'a', 'c']);
});

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((value) => !/\p{Cs}/u.test(value));

test('match gives back what a simple expression was expanded with', () => {
  const template = createTemplate('x://{a}/{b}{/c}{?d}');
  fc.assert(
    fc.property(fc.record({ a: text, b: text, c: text, d: text }, { noNullPrototype: true }), (values) => {
      assert.deepEqual(template.match(template.expand(values)), values);
    }),
    { numRuns: 300 },
  );
});

test('match gives back what a reserved expression was expanded with', () => {
  const template = createTemplate('x://{+a}');
  fc.assert(
    fc.property(
      text.filter((value) => !value.includes('%')),
      (a) => assert.deepEqual(template.match(template.expand({ a })), { a }),
    ),
    { numRuns: 300 },
  );
});

test('match never finds values that make another URI', () => {
  const template = createTemplate('x:{a}-{b}{.c}{#d}');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '-', '.', '#', '%41'), maxLength: 12 }), (tail) => {
      const values = template.match(`x:${tail}`);
      if (values !== undefined) assert.equal(template.expand(values), `x:${tail.replaceAll('%41', 'A')}`);
    }),
    { numRuns: 500 },
  );
});

const FORMS = [
  'x:{a}',
  'x:{a}{b}{c}',
  'x:{a,b,c}',
  'x:{+a}',
  'x:{+a}{+b}!',
  'x:{#a}',
  'x:{#a,b}',
  'x:{.a*}',
  'x:{.a,b}',
];
const MORE_FORMS = [
  'x:{/a*}',
  'x:{/a,b,c}',
  'x:{/a*,b}z',
  'x:{;a*}',
  'x:{?a,b}',
  'x:{?a*}',
  'x:{&a*}',
  'x:{a:9}{b}',
  'x:{a}-{b}-{c}-',
];

test('match answers about a long URI without stalling, whatever the form', () => {
  for (const unit of [
    'a',
    '/',
    '/a',
    ',',
    '.a',
    '-',
    '&',
    '?a=1',
    '&a=1',
    ';a=1',
    '%41',
    '%C3%A9',
    '#',
    '%',
    '\u00e9',
  ]) {
    const uri = `x:${unit.repeat(50_000 / unit.length)}`;
    for (const form of [...FORMS, ...MORE_FORMS]) {
      const template = createTemplate(form);
      const before = performance.now();
      template.match(uri);
      assert.ok(performance.now() - before < 5000, `${form} against ${unit}`);
    }
  }
});

test('match refuses a URI over the longest it compares', () => {
  const template = createTemplate('x:{+a}');
  assert.notEqual(template.match(`x:${'a'.repeat(LONGEST_URI - 2)}`), undefined);
  assert.equal(template.match(`x:${'a'.repeat(LONGEST_URI - 1)}`), undefined);
});
