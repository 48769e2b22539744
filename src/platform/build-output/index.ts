/** The folder above `src`. Specs run on TypeScript, whose build is in `dist`. */
const OUTPUT = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/' : '../../../', import.meta.url);

/** Returns the folder of the build with this name, such as `console`, which ends with a slash. Another tool's build may not have it. */
export function buildOutput(name: string): URL {
  return new URL(`${name}/`, OUTPUT);
}
