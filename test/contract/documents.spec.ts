import { describe, expect, it } from '@jest/globals';
import {
  anchorsOf,
  applyHunks,
  checkDocuments,
  type Document,
  faultsOfCode,
  faultsOfReferences,
  layOver,
  orphansOf,
  parseDocument,
} from '../../scripts/documents/index.mjs';

const PROJECT = {
  exists: (path: string) => ['README.md', 'docs/guide.md', 'src/main.ts', 'docs'].includes(path),
  scripts: new Set(['check']),
  knowsName: (name: string) => ['Teller', 'DATA_DIR'].includes(name),
};

/** Faults of what documents at these paths point at. */
function references(texts: Readonly<Record<string, string>>): string[] {
  const documents = Object.entries(texts).map(([path, text]) => parseDocument(path, text));
  return faultsOfReferences(documents, PROJECT);
}

describe('the set of documents', () => {
  // `npm run check` also compiles the examples.
  it('leads only to existing targets, and has readable code and examples that apply', () => {
    const { faults, files } = checkDocuments();
    expect(faults).toEqual([]);
    expect(files.size).toBeGreaterThan(0);
  });
});

describe('a document', () => {
  it('has headings, links, names and blocks by their lines', () => {
    const text = '# A\n[b](c.md#d) and `[no](link)`\n```sh\n# no heading\n```\n## `E` [f](g.md)\n';
    const read: Document = {
      path: 'x.md',
      headings: [
        { line: 1, text: 'A' },
        { line: 6, text: '`E` [f](g.md)' },
      ],
      links: [
        { line: 2, text: 'c.md#d' },
        { line: 6, text: 'g.md' },
      ],
      names: [
        { line: 2, text: '[no](link)' },
        { line: 6, text: 'E' },
      ],
      blocks: [{ line: 3, language: 'sh', info: '', text: '# no heading\n' }],
    };
    expect(parseDocument('x.md', text)).toEqual(read);
  });

  it('takes a fence within a longer fence for text, and code of a list without its indent', () => {
    const { blocks } = parseDocument('x.md', '````md\n```sh\n```\n````\n- a\n  ```json\n  {\n    "a": 1 }\n  ```\n');
    expect(blocks.map(({ text }) => text)).toEqual(['```sh\n```\n', '{\n  "a": 1 }\n']);
  });

  it('is refused when a block never ends', () => {
    expect(() => parseDocument('x.md', 'a\n```sh\n')).toThrow('x.md:2 a block of code never ends');
  });

  it.each([
    ['## Where deliveries may go', 'where-deliveries-may-go'],
    ['### `GET /v1/logs`: rows', 'get-v1logs-rows'],
    ['## Keys & sources', 'keys--sources'],
    ['# See [the guide](guide.md)', 'see-the-guide'],
  ])('has an anchor for %s', (heading, anchor) => {
    expect([...anchorsOf(parseDocument('x.md', heading))]).toEqual([anchor]);
  });

  it('numbers headings of one text', () => {
    expect([...anchorsOf(parseDocument('x.md', '# A\n## A\n## a\n'))]).toEqual(['a', 'a-1', 'a-2']);
  });
});

describe('a reference in a document', () => {
  it('may be a file, a folder, a heading of another document or its own, or the web', () => {
    const readme = '# Top\n[a](docs/guide.md#part) [b](docs) [c](#top) [d](https://example.com/#x) <http://e.example>';
    expect(references({ 'README.md': readme, 'docs/guide.md': '## Part\n[up](../README.md#top)' })).toEqual([]);
  });

  it.each([
    ['[a](docs/gone.md)', 'README.md:1 there is no docs/gone.md'],
    ['[a](docs/guide.md#gone)', 'README.md:1 docs/guide.md has no #gone'],
    ['[a](#gone)', 'README.md:1 README.md has no #gone'],
    ['[a](../outside.md)', 'README.md:1 there is no ../outside.md'],
    ['`src/gone.ts`', 'README.md:1 there is no src/gone.ts'],
    ['`npm run gone`', 'README.md:1 package.json has no script gone'],
    ['```sh\nnpm run gone -- x\n```', 'README.md:1 package.json has no script gone'],
    ['`TellerOfOld.tell(…)`', 'README.md:1 the code knows no TellerOfOld'],
    ['`OLD_NAME`', 'README.md:1 the code knows no OLD_NAME'],
  ])('is told when it is gone: %s', (text, fault) => {
    expect(references({ 'README.md': text, 'docs/guide.md': '# Guide' })).toEqual([fault]);
  });

  it('leads to every document, by way of others too', () => {
    const texts = {
      'README.md': '[a](docs/a.md#x)',
      'docs/a.md': '# X\n[b](b/b.md)',
      'docs/b/b.md': '',
      'docs/c.md': '',
    };
    const documents = Object.entries(texts).map(([path, text]) => parseDocument(path, text));
    expect(orphansOf(documents, 'README.md')).toEqual(['docs/c.md:1 no link leads here from README.md']);
  });

  it('is no name of the code when it is plain text, a pattern of a path or a sentence of the API', () => {
    const text =
      '`src/main.ts` `src/modules/<noun>/` `Teller` `DATA_DIR=x` `npm run check` `expired` `Slug already in use`';
    expect(references({ 'README.md': text })).toEqual([]);
  });
});

describe('code in a document', () => {
  it.each([
    ['```json\n{"a": 1}\n```', 0],
    ['```json\n{"a": 1,}\n```', 1],
    ['```sh\nfor x in 1 2; do echo $x; done\n```', 0],
    ['```sh\nfor x in 1 2; do echo $x\n```', 1],
    ['```mermaid\nnot looked at\n```', 0],
  ])('is read by what would read it: %j', (text, faults) => {
    expect(faultsOfCode(parseDocument('x.md', text))).toHaveLength(faults);
  });
});

describe('a change shown by a document', () => {
  const FILE = 'a\nb\nc\nb\n';

  it('applies by its lines, wherever they are', () => {
    expect(applyHunks(FILE, ' a\n-b\n+B\n@@\n c\n+d\n')).toEqual({ text: 'a\nB\nc\nd\nb\n', faults: [] });
  });

  it.each([
    ['lines that are gone', ' x\n+y\n', 'are not there'],
    ['lines in another order', ' b\n a\n+y\n', 'are not there'],
    ['lines that are there twice', ' b\n+y\n', 'are there 2 times'],
    ['no line of the file', '+y\n', 'nobody knows its place'],
  ])('is refused for %s, and changes nothing', (_, diff, fault) => {
    const { text, faults } = applyHunks(FILE, diff);
    expect([text, faults]).toEqual([FILE, [expect.stringContaining(fault)]]);
  });

  it('builds on the changes before it, and on new files', () => {
    const text = '```ts new.ts\none\n```\n```diff new.ts\n one\n+two\n```\n```diff old.ts\n-a\n+A\n```\n';
    const { files, faults } = layOver([parseDocument('x.md', text)], (path) => (path === 'old.ts' ? 'a\n' : null));
    expect([Object.fromEntries(files), faults]).toEqual([{ 'new.ts': 'one\ntwo\n', 'old.ts': 'A\n' }, []]);
  });

  it('is refused for a file that is not there, as a new file is for one that is', () => {
    const text = '```diff gone.ts\n-a\n```\n```ts old.ts\nb\n```\n';
    const { files, faults } = layOver([parseDocument('x.md', text)], (path) => (path === 'old.ts' ? 'a\n' : null));
    expect([files.size, faults]).toEqual([
      0,
      ['x.md:1 there is no gone.ts', 'x.md:4 old.ts is there already: show its change as diff'],
    ]);
  });
});
