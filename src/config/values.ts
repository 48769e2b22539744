import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Larger files are refused. No key, address or certificate is this large, so the path probably names the wrong file.
 */
const MAX_FILE_BYTES = 65_536;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the value of a variable. A blank value counts as unset. */
export function valueOf(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/**
 * Returns the value of a variable, or the content of the file that `NAME_FILE` names, without its last line end. A
 * fault names the variable, but neither the content nor the path, since the path could be a misplaced secret.
 */
export function valueOrFile(env: Environment, name: string): { value: string | undefined } | { fault: string } {
  const [value, path] = [valueOf(env, name), valueOf(env, `${name}_FILE`)];
  if (path === undefined) return { value };
  if (value !== undefined) return { fault: `${name}_FILE and ${name} are both set: unset one of them` };
  const content = readWhole(path);
  if (typeof content === 'string') return { fault: `${name}_FILE ${content}` };
  const text = content.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(content) || text.includes('\0')) {
    return { fault: `${name}_FILE names a file that is no UTF-8 text` };
  }
  if (text.trim() === '') return { fault: `${name}_FILE names an empty file` };
  return { value: text.replace(/\r?\n$/, '') };
}

/** Returns the content of a regular file, or the fault. A pipe is refused, because it could block the start. */
function readWhole(path: string): Buffer | string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) return 'names something that is no regular file';
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (length > MAX_FILE_BYTES) return `names a file of more than ${MAX_FILE_BYTES} bytes`;
      if (read === 0) return bytes.subarray(0, length);
    }
  } catch (error) {
    return `names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
