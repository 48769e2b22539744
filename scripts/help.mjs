// Renders the guides of docs/guide into dist/pages/help, which the service serves at /console/help. The content of the
// inputs, and not their dates, decides whether a build is needed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anchorsInOrder } from './documents/markdown.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const GUIDES = 'docs/guide';
const STYLE = 'console/help/help.css';
/** Sets the colours that the person chose in the console. */
const SCRIPT = 'console/src/colour-scheme.js';
const TARGET = join(root, 'dist', 'pages', 'help');
const STAMP = join(TARGET, '.made-from');
const BASE = '/console/help';

/** The groups of the list of guides. */
const GROUPS = {
  'Send events': ['senders', 'ingestion', 'clients', 'keys-and-sources', 'demo'],
  'Read events': ['console', 'reading', 'eql', 'search', 'analytics', 'dashboards', 'performance'],
  'Alerts and deliveries': ['alerts', 'alerts-as-code', 'sentinel', 'deliveries', 'secrets'],
  'Organization and account': [
    'organizations-and-projects',
    'accounts',
    'company-sign-in',
    'scim',
    'billing',
    'objects',
  ],
  'API and command line': ['conventions', 'rate-limits', 'command-line'],
};

/** The page in place of a guide that does not exist. */
const MISSING = `<h1>There is no such guide</h1>
<p>The address may be mistyped, or the guide has another name in this version. <a href="${BASE}">Help</a> lists all guides.</p>`;

const read = (path) => readFileSync(join(root, path), 'utf8');
const namesOfGuides = () =>
  readdirSync(join(root, GUIDES))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .sort();

function digest() {
  const inputs = [...namesOfGuides().map((name) => `${GUIDES}/${name}.md`), STYLE, SCRIPT];
  const hash = createHash('sha256');
  for (const path of [...inputs, 'scripts/help.mjs', 'scripts/documents/markdown.mjs', 'package-lock.json'])
    hash.update(`${path}\0`).update(read(path));
  return hash.digest('hex');
}

export function isHelpBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest();
}

export async function buildHelp() {
  const { Marked } = await import('marked');
  const names = namesOfGuides();
  const ungrouped = names.filter((name) => !Object.values(GROUPS).flat().includes(name));
  if (ungrouped.length > 0) throw new Error(`No group of scripts/help.mjs has: ${ungrouped.join(', ')}`);
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  const files = Object.fromEntries([STYLE, SCRIPT].map((path) => [path, writeNamedByContent(path)]));
  const guides = names.map((name) => ({ name, ...rendered(Marked, name, names) }));
  const write = (name, page) => writeFileSync(join(TARGET, `${name}.html`), pageOf(page, guides, files));
  write('index', { title: 'Help', html: indexOf(guides) });
  write('404', { title: 'There is no such guide', html: MISSING });
  for (const guide of guides) write(guide.name, guide);
  writeFileSync(STAMP, digest());
}

/** @returns the address of the file */
function writeNamedByContent(path) {
  const text = read(path);
  const [name, ending] = posix.basename(path).split('.');
  const file = `${name}-${createHash('sha256').update(text).digest('base64url').slice(0, 8)}.${ending}`;
  writeFileSync(join(TARGET, file), text);
  return `${BASE}/${file}`;
}

/** @returns the title of a guide, its sections, its first sentence, and its HTML */
function rendered(Marked, name, names) {
  const marked = new Marked();
  const tokens = marked.lexer(read(`${GUIDES}/${name}.md`));
  const headings = [];
  marked.walkTokens(tokens, (token) => void (token.type === 'heading' && headings.push(token)));
  const anchors = anchorsInOrder(headings.map(({ text }) => text));
  const anchorOf = new Map(headings.map((heading, index) => [heading, anchors[index]]));
  marked.use({
    renderer: {
      heading(token) {
        const anchor = anchorOf.get(token);
        const text = this.parser.parseInline(token.tokens);
        return `<h${token.depth} id="${anchor}"><a href="#${anchor}">${text}</a></h${token.depth}>\n`;
      },
      link({ href, tokens: inner }) {
        const text = this.parser.parseInline(inner);
        const address = addressOf(href, name, names);
        // Files of the repository are not served.
        if (address === null) return `${text} <span class="path">(${pathOf(href)} in the repository)</span>`;
        return `<a href="${escaped(address)}">${text}</a>`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      table(token) {
        const row = (cells, tag) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>\n`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="wide" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const [title] = headings;
  const sections = headings
    .filter(({ depth }) => depth === 2)
    .map((heading) => ({ anchor: anchorOf.get(heading), text: marked.parseInline(heading.text) }));
  return { title: title.text, sections, about: aboutOf(tokens), html: marked.parser(tokens) };
}

/** Returns the first sentence of a guide that begins with a paragraph. */
function aboutOf(tokens) {
  const [, first] = tokens.filter(({ type }) => type !== 'space');
  if (first?.type !== 'paragraph') return '';
  const plain = first.text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
  return (/^.*?[.:](?=\s|$)/s.exec(plain)?.[0] ?? plain).replaceAll('\n', ' ').replace(/:$/, '.');
}

const pathOf = (href) => posix.join(GUIDES, href.split('#')[0]);

/** Returns the address of a link of a guide. Null: it leads to a file that is not served. */
function addressOf(href, from, names) {
  if (/^(?:https?:|mailto:|#|\/)/.test(href)) return href;
  const [path, anchor] = href.split('#');
  const end = anchor === undefined ? '' : `#${anchor}`;
  if (path === '../api/openapi.json') return '/openapi.json';
  const name = path.endsWith('.md') ? path.slice(0, -'.md'.length) : undefined;
  return names.includes(name) ? `${BASE}/${name}${end}` : null;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function grouped(guides) {
  return Object.entries(GROUPS).map(([group, names]) => ({
    group,
    inside: names.map((name) => guides.find((guide) => guide.name === name)),
  }));
}

function indexOf(guides) {
  const groups = grouped(guides).map(({ group, inside }) => {
    const items = inside.map(
      ({ name, title, about }) =>
        `<li><a href="${BASE}/${name}">${escaped(title)}</a>${about === '' ? '' : `<p>${escaped(about)}</p>`}</li>`,
    );
    return `<h2>${group}</h2>\n<ul class="guides">\n${items.join('\n')}\n</ul>`;
  });
  return `<h1>Help</h1>
<p>These are the guides of this version of the service. The <a href="/docs">API documentation</a> describes each operation.</p>
${groups.join('\n')}`;
}

function pageOf({ name, title, sections = [], html }, guides, files) {
  const sectionsOf = (guide) =>
    guide.name !== name || sections.length === 0
      ? ''
      : `<ul>${sections.map(({ anchor, text }) => `<li><a href="#${anchor}">${text}</a></li>`).join('')}</ul>`;
  const itemOf = (guide) => {
    const current = guide.name === name ? ' aria-current="page"' : '';
    return `<li><a href="${BASE}/${guide.name}"${current}>${escaped(guide.title)}</a>${sectionsOf(guide)}</li>`;
  };
  const list = grouped(guides).map(
    ({ group, inside }) => `<p>${group}</p>\n<ul>\n${inside.map(itemOf).join('\n')}\n</ul>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
    <script src="${files[SCRIPT]}"></script>
    <link rel="stylesheet" href="${files[STYLE]}" />
    <title>${name === undefined ? title : `${escaped(title)} · Help`}</title>
  </head>
  <body>
    <a class="skip" href="#content">To the content</a>
    <header><a href="/console">Console</a><a href="${BASE}">Help</a><a class="to-guides" href="#guides">All guides</a></header>
    <div class="columns">
      <main id="content">
${html}
      </main>
      <nav id="guides" aria-label="Guides">
${list.join('\n')}
      </nav>
    </div>
  </body>
</html>
`;
}
