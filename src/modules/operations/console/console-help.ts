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

/** Serves the guides that the build has rendered. Everybody may read them. */
@Injectable()
export class ConsoleHelp {
  private readonly files: ReadonlyMap<string, PageFile>;

  constructor() {
    // Builds by other tools leave the help out.
    const names = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => extname(name) !== '') : [];
    this.files = new Map(names.map((name) => [addressOf(name), fileOf(name)]));
  }

  /** @returns undefined for methods other than GET and HEAD, and for pages that do not exist */
  find(method: string, path: string): Answer | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    return this.files.get(path.replace(/\/$/, ''))?.send;
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
