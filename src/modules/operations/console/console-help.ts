import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { buildOutput } from '../../../platform/build-output/index.js';
import { NAMED_BY_CONTENT, PageFile } from '../../../platform/http/page-file.js';

type Answer = (request: Request, response: Response) => Promise<void>;

const FOLDER = buildOutput('pages/help');
const PATH = '/help';
const INDEX = 'index';
const MISSING = '404.html';

/** Serves the guides that the build has rendered. Everybody may read them. */
@Injectable()
export class ConsoleHelp {
  private readonly files: ReadonlyMap<string, PageFile>;
  /** The page in place of a guide that does not exist. Undefined in builds by other tools, which leave the help out. */
  private readonly missing: PageFile | undefined;

  constructor() {
    const names = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => extname(name) !== '') : [];
    this.files = new Map(names.filter((name) => name !== MISSING).map((name) => [addressOf(name), fileOf(name)]));
    this.missing = names.includes(MISSING) ? fileOf(MISSING) : undefined;
  }

  /** @returns undefined for methods other than GET and HEAD, and for addresses outside of the help */
  find(method: string, path: string): Answer | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const found = this.files.get(path.replace(/\/$/, ''));
    if (found !== undefined) return found.send;
    return this.missing !== undefined && path.startsWith(`${PATH}/`) ? this.sendMissing(this.missing) : undefined;
  }

  private sendMissing(page: PageFile): Answer {
    return (request, response) => page.send(request, response.status(404));
  }
}

function addressOf(name: string): string {
  if (extname(name) !== '.html') return `${PATH}/${name}`;
  const page = basename(name, '.html');
  return page === INDEX ? PATH : `${PATH}/${page}`;
}

function fileOf(name: string): PageFile {
  const type = extname(name).slice(1);
  const path = fileURLToPath(new URL(name, FOLDER));
  return new PageFile(type, () => readFile(path), type === 'html' ? undefined : NAMED_BY_CONTENT);
}
