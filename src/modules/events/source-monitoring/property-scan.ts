import { endOfString } from '../../../platform/json/index.js';

export const MAX_PATHS = 200;
export const MAX_DEPTH = 6;
const MAX_PATH_LENGTH = 200;

export const JSON_TYPES = ['string', 'number', 'boolean', 'null', 'object', 'array'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

/** An object or a list that is being read. */
interface Container {
  readonly path: string;
  readonly isList: boolean;
  /** The path of the current member. All items of a list have one path. */
  memberPath: string;
  /** The types seen at the path of the current member. Undefined when the member is left out. */
  types: Set<JsonType> | undefined;
  /** Whether the next string is a name and not a value. */
  isNameNext: boolean;
}

const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LIST = 0x5b;
const END_OF_LIST = 0x5d;
const OBJECT = 0x7b;
const END_OF_OBJECT = 0x7d;

/**
 * The type of a value that is neither a string nor a container, by its first letter. Any other letter starts a number.
 */
const WORD_TYPES: Readonly<Record<string, JsonType>> = { t: 'boolean', f: 'boolean', n: 'null' };
const WORD = /[^,\]} ]+/y;

/**
 * Reads the paths of one JSON object, and the types of the values at each path, from its text. A parsed object might
 * take twenty times the memory, and parsing could not be divided into parts.
 */
export class PropertyScan {
  /** The types by path. A path is written `card.number`, and through the items of a list `lines[].sku`. */
  readonly paths = new Map<string, Set<JsonType>>();
  /** False once a path was left out: too many, too deep, or too long. */
  isWhole = true;
  private readonly open: Container[] = [];
  /** The number of open containers whose members are skipped. */
  private skipped = 0;
  private at = 0;

  /** @param json the text of an object as PostgreSQL prints it */
  constructor(private readonly json: string) {}

  /**
   * Reads up to `most` further tokens. @returns the number of tokens that were read; less than `most` at the end of the
   * text
   */
  read(most: number): number {
    let read = 0;
    for (; read < most && this.at < this.json.length; read += 1) this.token(this.json.charCodeAt(this.at));
    return read;
  }

  private token(code: number): void {
    switch (code) {
      case QUOTE:
        return this.text();
      case OBJECT:
      case LIST:
        this.at += 1;
        return this.begin(code === LIST);
      case END_OF_OBJECT:
      case END_OF_LIST:
        this.at += 1;
        if (this.skipped > 0) this.skipped -= 1;
        else this.open.pop();
        return;
      case COMMA:
        this.at += 1;
        if (this.skipped === 0) this.container.isNameNext = !this.container.isList;
        return;
      case BLANK:
      case COLON:
        this.at += 1;
        return;
      default:
        return this.word();
    }
  }

  private text(): void {
    const start = this.at;
    this.at = endOfString(this.json, start) + 1;
    if (this.skipped > 0) return;
    const { container } = this;
    if (!container.isNameNext) return this.note('string');
    const name = JSON.parse(this.json.slice(start, this.at)) as string;
    container.isNameNext = false;
    container.memberPath = container.path === '' ? name : `${container.path}.${name}`;
    container.types = this.typesAt(container.memberPath);
  }

  private word(): void {
    WORD.lastIndex = this.at;
    WORD.test(this.json);
    const type = WORD_TYPES[this.json.charAt(this.at)] ?? 'number';
    this.at = WORD.lastIndex;
    if (this.skipped === 0) this.note(type);
  }

  private begin(isList: boolean): void {
    if (this.skipped > 0) {
      this.skipped += 1;
      return;
    }
    const outer = this.open.at(-1);
    if (outer !== undefined) {
      this.note(isList ? 'array' : 'object');
      const isEmpty = this.json.charCodeAt(this.at) === (isList ? END_OF_LIST : END_OF_OBJECT);
      if (outer.types === undefined || this.open.length >= MAX_DEPTH) {
        if (outer.types !== undefined && !isEmpty) this.isWhole = false;
        this.skipped = 1;
        return;
      }
      if (isEmpty) {
        this.at += 1;
        return;
      }
    }
    const path = outer?.memberPath ?? '';
    const memberPath = `${path}[]`;
    const types = isList ? this.typesAt(memberPath) : undefined;
    if (isList && types === undefined) this.skipped = 1;
    else this.open.push({ path, isList, memberPath, types, isNameNext: !isList });
  }

  private get container(): Container {
    const innermost = this.open.at(-1);
    if (innermost === undefined) throw new Error('a JSON text goes on behind its end');
    return innermost;
  }

  private note(type: JsonType): void {
    this.container.types?.add(type);
  }

  /** Returns the types seen at a path, or undefined when the path is too long or there are too many paths. */
  private typesAt(path: string): Set<JsonType> | undefined {
    const known = this.paths.get(path);
    if (known !== undefined) return known;
    if (path.length > MAX_PATH_LENGTH || this.paths.size >= MAX_PATHS) {
      this.isWhole = false;
      return undefined;
    }
    const types = new Set<JsonType>();
    this.paths.set(path, types);
    return types;
  }
}
