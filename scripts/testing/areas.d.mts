export const AREAS: string[];
export function filesOf(root: string, areas: readonly string[]): string[];
export function areasOf(paths: readonly string[]): string[];
export function suitesThatImport(root: string, helpers: readonly string[]): string[];
