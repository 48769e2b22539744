export function commitBefore(path: string): Promise<string | null>;
export function builtVersion(commit: string): Promise<string>;
