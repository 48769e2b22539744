/** The document is refused. The message completes a sentence that starts with "the document". */
export class XmlFault extends Error {}

/** An element of a document. Names of elements and attributes are ASCII. */
export interface XmlElement {
  readonly namespace: string | null;
  readonly name: string;
  /**
   * The attributes by name. An attribute with a prefix is named `{namespace}name`. Namespace declarations are left out.
   */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The text between the tags, without the text of children. */
  readonly text: string;
}

export interface XmlOptions {
  readonly maxLength: number;
  /** By default, comments are refused, because XML readers treat the text around comments differently. */
  readonly skipsComments?: boolean;
}

/**
 * A document that exceeds one of these limits is refused, so that no document takes long to read or to canonicalize.
 */
const MAX_XML_DEPTH = 32;
const MAX_XML_ELEMENTS = 1_500;
const MAX_ATTRIBUTES_PER_ELEMENT = 32;
const MAX_ATTRIBUTES = 4_500;
/** Some providers declare two namespaces at each attribute value. */
const MAX_NAMESPACE_DECLARATIONS = 2_500;

const NAME = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?';
const BLANK = '[ \\t\\n]';
const DECLARATION = new RegExp(
  `<\\?xml${BLANK}+version${BLANK}*=${BLANK}*["']1\\.0["'](?:${BLANK}+encoding${BLANK}*=${BLANK}*["']([\\w-]{1,40})["'])?(?:${BLANK}+standalone${BLANK}*=${BLANK}*["'](?:yes|no)["'])?${BLANK}*\\?>`,
  'y',
);
const START = new RegExp(`<(${NAME})`, 'y');
const ATTRIBUTE = new RegExp(`${BLANK}+(${NAME})${BLANK}*=${BLANK}*(?:"([^<"]*)"|'([^<']*)')`, 'y');
const START_END = new RegExp(`${BLANK}*(/?)>`, 'y');
const END = new RegExp(`</(${NAME})${BLANK}*>`, 'y');
const TEXT = /[^<]+/y;
const COMMENT = /<!--(?:[^-]|-[^-])*-->/y;
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));|&/g;
/** Characters that XML 1.0 does not have, after line ends were normalized. */
// oxlint-disable-next-line no-control-regex -- the expression finds control characters
const NO_CHARACTER =
  /[\0-\x08\x0B-\x1F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

type Namespaces = ReadonlyMap<string, string>;

interface Open {
  readonly tag: string;
  readonly namespaces: Namespaces;
  readonly element: { text: string; readonly children: XmlElement[] } & XmlElement;
}

/**
 * Reads a document that consists of elements, attributes and text. A document type, custom entities, CDATA sections and
 * processing instructions are refused.
 *
 * @throws XmlFault
 */
export function parseXml(given: string, options: XmlOptions): XmlElement {
  if (given.length > options.maxLength) throw new XmlFault(`is longer than ${options.maxLength} characters`);
  const text = given.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (NO_CHARACTER.test(text)) throw new XmlFault('holds characters that XML does not have');
  return new Reader(text, options.skipsComments === true).document();
}

class Reader {
  private at = 0;
  private elements = 0;
  private attributes = 0;
  private declarations = 0;

  constructor(
    private readonly text: string,
    private readonly skipsComments: boolean,
  ) {}

  document(): XmlElement {
    const declaration = this.take(DECLARATION);
    const encoding = declaration?.[1]?.toLowerCase() ?? 'utf-8';
    if (encoding !== 'utf-8' && encoding !== 'us-ascii') throw new XmlFault('is not in UTF-8');
    this.skipBlanks();
    const root = this.tree();
    this.skipBlanks();
    if (this.at < this.text.length) throw this.malformed();
    return root;
  }

  private tree(): XmlElement {
    const open: Open[] = [];
    for (;;) {
      if (this.text.startsWith('</', this.at)) {
        const end = this.take(END);
        const ended = open.pop();
        if (end === null || ended === undefined || ended.tag !== end[1]) throw this.malformed();
        if (open.length === 0) return ended.element;
      } else if (this.text[this.at] === '<') {
        if (this.skipComment()) continue;
        const { started, isEmpty } = this.start(open.at(-1)?.namespaces);
        open.at(-1)?.element.children.push(started.element);
        if (isEmpty && open.length === 0) return started.element;
        if (!isEmpty) open.push(started);
        if (open.length > MAX_XML_DEPTH) throw new XmlFault(`is nested deeper than ${MAX_XML_DEPTH} elements`);
      } else {
        const within = open.at(-1);
        const found = this.take(TEXT);
        if (within === undefined || found === null) throw this.malformed();
        within.element.text += decoded(found[0]);
      }
    }
  }

  private start(around: Namespaces = new Map([['xml', XML_NAMESPACE]])): { started: Open; isEmpty: boolean } {
    const tag = this.take(START)?.[1];
    if (tag === undefined) throw this.malformed();
    this.elements += 1;
    if (this.elements > MAX_XML_ELEMENTS) throw new XmlFault(`has more than ${MAX_XML_ELEMENTS} elements`);
    const given: [name: string, value: string][] = [];
    for (let found = this.take(ATTRIBUTE); found !== null; found = this.take(ATTRIBUTE)) {
      given.push([found[1] ?? '', decoded(found[2] ?? found[3] ?? '')]);
      if (given.length > MAX_ATTRIBUTES_PER_ELEMENT) {
        throw new XmlFault(`has an element with more than ${MAX_ATTRIBUTES_PER_ELEMENT} attributes`);
      }
    }
    this.attributes += given.length;
    if (this.attributes > MAX_ATTRIBUTES) throw new XmlFault(`has more than ${MAX_ATTRIBUTES} attributes`);
    const end = this.take(START_END);
    if (end === null || new Set(given.map(([name]) => name)).size < given.length) throw this.malformed();
    const namespaces = this.declared(given, around);
    const attributes = new Map<string, string>();
    for (const [name, value] of given) {
      if (name === 'xmlns' || name.startsWith('xmlns:')) continue;
      const key = name.includes(':') ? `{${namespaceOf(name, namespaces)}}${localName(name)}` : name;
      if (attributes.has(key)) throw this.malformed();
      attributes.set(key, value);
    }
    const namespace = namespaceOf(tag, namespaces);
    const element = { namespace, name: localName(tag), attributes, children: [], text: '' };
    return { started: { tag, namespaces, element }, isEmpty: end[1] === '/' };
  }

  private declared(given: readonly (readonly [name: string, value: string])[], around: Namespaces): Namespaces {
    const own = given.filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
    if (own.length === 0) return around;
    this.declarations += own.length;
    if (this.declarations > MAX_NAMESPACE_DECLARATIONS) {
      throw new XmlFault(`declares more than ${MAX_NAMESPACE_DECLARATIONS} namespaces`);
    }
    const namespaces = new Map(around);
    for (const [name, value] of own) {
      const prefix = name === 'xmlns' ? '' : localName(name);
      if (prefix === 'xml' || prefix === 'xmlns' || (prefix !== '' && value === '')) throw this.malformed();
      namespaces.set(prefix, value);
    }
    return namespaces;
  }

  private skipBlanks(): void {
    do {
      while (this.at < this.text.length && ' \t\n'.includes(this.text[this.at] ?? '')) this.at += 1;
    } while (this.skipComment());
  }

  /**
   * Skips a comment. @throws XmlFault for a comment when comments are refused, and for any other markup that starts
   * with `<!` or `<?`
   */
  private skipComment(): boolean {
    const isMarkup = this.text.startsWith('<!', this.at) || this.text.startsWith('<?', this.at);
    if (!isMarkup) return false;
    if (this.skipsComments && this.take(COMMENT) !== null) return true;
    throw new XmlFault('holds a document type, a comment, CDATA or a processing instruction');
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  private malformed(): XmlFault {
    return new XmlFault('is not well-formed XML');
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function namespaceOf(name: string, namespaces: Namespaces): string | null {
  const colon = name.indexOf(':');
  const namespace = namespaces.get(name.slice(0, Math.max(colon, 0)));
  if (namespace === undefined && colon >= 0) throw new XmlFault('has a prefix without a namespace');
  return namespace === undefined || namespace === '' ? null : namespace;
}

function decoded(text: string): string {
  if (text.includes(']]>')) throw new XmlFault('is not well-formed XML');
  if (!text.includes('&')) return text;
  return text.replaceAll(REFERENCE, (_, entity?: string, decimal?: string, hex?: string) => {
    if (entity !== undefined) return ENTITIES[entity] ?? '';
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const character = code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
    if (character === '' || NO_CHARACTER.test(character.replace('\r', ''))) {
      throw new XmlFault('holds an entity, or characters that XML does not have');
    }
    return character;
  });
}

/** Returns the children of an element that have this name. */
export function childrenOf(element: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name && child.namespace === namespace);
}

/** Returns an element and all elements below it, in the order of the document. */
export function* elementsOf(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* elementsOf(child);
}
