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
  /** Where the member at hand stands; of a list all items have one path. */
  memberPath: string;
  /** Of the member at hand. Undefined: it is left out. */
  types: Set<JsonType> | undefined;
  /** Whether a text is a name and no value. */
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

/** Of the first letter of what is neither text nor container. */
const WORD_TYPES: Readonly<Record<string, JsonType>> = { t: 'boolean', f: 'boolean', n: 'null' };
const WORD = /[^,\]} ]+/y;

/**
 * The paths of one JSON object and the types at each, read from its text: as objects it might take twenty times as much,
 * and could not be read in parts.
 */
export class PropertyScan {
  /** `card.number`; items of a list are `lines[].sku`. */
  readonly paths = new Map<string, Set<JsonType>>();
  /** False once something was left out: too many, too deep, or too long a name. */
  isWhole = true;
  private readonly open: Container[] = [];
  /** How many containers are open whose members are left out. */
  private skipped = 0;
  private at = 0;

  /** @param json as PostgreSQL writes it, of an object */
  constructor(private readonly json: string) {}

  /** Reads on, `most` tokens at a time. @returns how many there were: fewer than `most` at the end */
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

  /** Undefined: one path too many, or too long. */
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
