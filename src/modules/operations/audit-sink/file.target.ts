import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type AuditLine, type AuditTarget, textOf } from './audit-target.js';

const NEW_LINE = '\n'.charCodeAt(0);

/**
 * Appends lines to a file. Each write opens the file again, so the file may be rotated. A full disk or the end of a
 * process may cut a line off. The next write ends that line and leaves it in the file. Nothing is ever removed from the
 * file.
 */
export class FileTarget implements AuditTarget {
  readonly maxLines = 500;

  constructor(private readonly path: string) {}

  async write(lines: readonly AuditLine[]): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    const file = await open(this.path, 'a+', 0o600);
    try {
      const stat = await file.stat();
      const start = stat.isFile() && (await isCutOff(file, stat.size)) ? '\n' : '';
      await file.appendFile(start + textOf(lines));
      // Devices and pipes cannot be flushed.
      if (!stat.isFile()) return;
      await file.sync();
      if (stat.size === 0) await syncFolder(dirname(this.path));
    } finally {
      await file.close();
    }
  }
}

async function isCutOff(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== NEW_LINE;
}

/** Flushes the folder, so that a new file in it survives a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
