import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';
import { CommandFailure, EXIT } from '../failure.js';
import { SCHEMAS } from './schema.js';
import { DEFAULTS, type Kind, KINDS, type Members, type Wanted, wholeConfiguration } from './things.js';

/** The content of the files of one run. */
export interface Wish {
  readonly things: readonly Wanted[];
  /** The kinds that a file lists. Other kinds are left alone, also by `--prune`. */
  readonly kinds: ReadonlySet<Kind>;
  /** The names that the files give, also those of things with faults. */
  readonly names: Readonly<Record<Kind, ReadonlySet<string>>>;
  /** One sentence for each fault, with file and line. */
  readonly faults: readonly string[];
}

const LARGEST_FILE = 8 * 1024 * 1024;

type Path = readonly (string | number)[];

/** Reads YAML files; `-` is the standard input. @throws {CommandFailure} if a file cannot be read */
export async function readWish(files: readonly string[]): Promise<Wish> {
  const reader = new WishReader();
  for (const file of files) reader.read(file, await textOf(file));
  return reader;
}

async function textOf(file: string): Promise<string> {
  let content: Buffer;
  try {
    content = file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new CommandFailure(`${file} cannot be read: ${reason}`, EXIT.usage);
  }
  if (content.byteLength > LARGEST_FILE) throw new CommandFailure(`${file} is larger than 8 MiB`, EXIT.usage);
  return content.toString('utf8');
}

export class WishReader implements Wish {
  readonly things: Wanted[] = [];
  readonly kinds = new Set<Kind>();
  readonly faults: string[] = [];
  readonly names: Record<Kind, Set<string>> = {
    destinations: new Set(),
    channels: new Set(),
    rules: new Set(),
    silences: new Set(),
  };
  /** The place of each name, by kind and name. */
  private readonly places = new Map<string, string>();

  read(file: string, text: string): void {
    const lines = new LineCounter();
    const documents = parseAllDocuments(text, { lineCounter: lines, merge: true });
    for (const document of documents) this.readDocument(document, (offset) => `${file}:${lines.linePos(offset).line}`);
  }

  private readDocument(document: Document.Parsed, placeAt: (offset: number) => string): void {
    const faults = [...document.errors, ...document.warnings];
    for (const { pos, message } of faults) this.faults.push(`${placeAt(pos[0])}: ${message.split('\n')[0] ?? ''}`);
    if (faults.length > 0) return;
    const place = (path: Path): string => placeAt(offsetOf(document, path));
    let value: unknown;
    try {
      value = document.toJS() as unknown;
    } catch (error) {
      // The document has an alias without an anchor, or too many aliases.
      this.faults.push(`${place([])}: ${(error as Error).message}`);
      return;
    }
    if (value === null || value === undefined) return;
    if (typeof value !== 'object' || Array.isArray(value)) {
      this.faults.push(`${place([])}: must be an object with the lists ${KINDS.join(', ')}`);
      return;
    }
    for (const [key, list] of Object.entries(value)) {
      const kind = KINDS.find((each) => each === key);
      if (kind === undefined) {
        this.faults.push(`${place([key])}: unknown list ${JSON.stringify(key)}: use ${KINDS.join(', ')}`);
      } else if (!Array.isArray(list)) {
        this.faults.push(`${place([key])}: ${key} must be a list; write [] for an empty one`);
      } else {
        this.kinds.add(kind);
        for (const [index, item] of list.entries()) this.readThing(kind, item, [kind, index], place);
      }
    }
  }

  private readThing(kind: Kind, item: unknown, path: Path, place: (path: Path) => string): void {
    const own = place(path);
    const name = (item as Members | null)?.[kind === 'silences' ? 'reason' : 'name'];
    if (typeof name === 'string') this.readName(kind, name, own);
    const { success, data, error } = SCHEMAS[kind].safeParse(item);
    for (const issue of error?.issues ?? []) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
      for (const key of keys) {
        const inside = [...issue.path, key].filter((part) => typeof part === 'string' || typeof part === 'number');
        const message = key === undefined ? issue.message : `Unrecognized key: "${key}"`;
        this.faults.push(`${place([...path, ...inside])}: ${[...path, ...inside].join('.')}: ${message}`);
      }
    }
    if (success) this.things.push({ kind, name: String(name), members: membersOf(kind, data), place: own });
  }

  private readName(kind: Kind, name: string, place: string): void {
    const key = `${kind} ${name}`;
    const earlier = this.places.get(key);
    if (earlier !== undefined) this.faults.push(`${place}: ${kind} has ${JSON.stringify(name)} already at ${earlier}`);
    else this.places.set(key, place);
    this.names[kind].add(name);
  }
}

/** Fills in the defaults, so that a member that is left out equals one with its default. */
function membersOf(
  kind: Kind,
  { name: _, reason: __, ...given }: Members & { name?: unknown; reason?: unknown },
): Members {
  const members: Members = { ...DEFAULTS[kind], ...given };
  if (kind !== 'channels') return members;
  return { ...members, configuration: wholeConfiguration(members.type, members.configuration as Members) };
}

/** Returns the offset of the innermost part of a path that the document has. */
function offsetOf(document: Document.Parsed, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range[0] ?? document.range[0];
}
