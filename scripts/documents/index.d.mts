export interface Piece {
  readonly line: number;
  readonly text: string;
}

/** Code between fences; `info` is what stands behind the language. */
export interface Block extends Piece {
  readonly language: string;
  readonly info: string;
}

export interface Document {
  readonly path: string;
  readonly headings: readonly Piece[];
  readonly links: readonly Piece[];
  readonly names: readonly Piece[];
  readonly blocks: readonly Block[];
}

/** What documents may point at; paths are relative to its root. */
export interface Project {
  exists(path: string): boolean;
  readonly scripts: ReadonlySet<string>;
  knowsName(name: string): boolean;
}

export interface Examples {
  /** New or changed by the examples, with their text then. */
  readonly files: ReadonlyMap<string, string>;
  readonly faults: readonly string[];
}

export const ROOT: string;

/** Throws for a block that never ends. */
export function parseDocument(path: string, text: string): Document;
export function anchorsOf(document: Document): Set<string>;
export function faultsOfReferences(documents: readonly Document[], project: Project): string[];
/** A line for each document that no way from `start` leads to. */
export function orphansOf(documents: readonly Document[], start: string): string[];
export function faultsOfCode(document: Document): string[];
export function applyHunks(text: string, diff: string): { text: string; faults: string[] };
export function layOver(documents: readonly Document[], read: (path: string) => string | null): Examples;
/** What needs no compiler. */
export function checkDocuments(): Examples & { readonly documents: readonly Document[] };
