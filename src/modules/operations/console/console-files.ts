import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NAMED_BY_CONTENT, PageFile } from '../../../platform/http/page-file.js';
import { consolePolicy } from '../../../platform/http/security-headers.js';

type Answer = (request: Request, response: Response) => Promise<void>;

/** Made by the build, beside the compiled service. */
const FOLDER = new URL('../../../../console/', import.meta.url);
const ASSETS = '/assets/';
/** Where the page's text has the nonce of each answer. */
const NONCE = '__NONCE__';

/**
 * The files of the page. Those that the build named by their content are kept by browsers for good; every other address is one
 * of the page's own and gets the page, which finds out what it means.
 */
@Injectable()
export class ConsoleFiles {
  private assets: ReadonlyMap<string, PageFile> | undefined;
  private text: Promise<string> | undefined;
  /** Builds by other tools than ours leave the page out. */
  private readonly isBuilt = existsSync(new URL('index.html', FOLDER));

  /** @returns undefined for what is neither read nor there */
  find(method: string, path: string): Answer | undefined {
    if (!this.isBuilt || (method !== 'GET' && method !== 'HEAD')) return undefined;
    return path.startsWith(ASSETS) ? this.asset(path.slice(ASSETS.length)) : this.sendPage;
  }

  /** Only what the build made has a name here, so that no path leads elsewhere. */
  private asset(name: string): Answer | undefined {
    this.assets ??= new Map(readdirSync(new URL(`.${ASSETS}`, FOLDER)).map((each) => [each, fileOf(each)]));
    return this.assets.get(name)?.send;
  }

  private readonly sendPage: Answer = async (_request, response) => {
    this.text ??= readFile(new URL('index.html', FOLDER), 'utf8').catch((error: unknown) => {
      this.text = undefined;
      throw error;
    });
    const text = await this.text;
    const nonce = randomBytes(16).toString('base64url');
    response.setHeader('Content-Security-Policy', consolePolicy(nonce));
    response.type('html').send(text.replaceAll(NONCE, nonce));
  };
}

function fileOf(name: string): PageFile {
  const path = fileURLToPath(new URL(`.${ASSETS}${name}`, FOLDER));
  return new PageFile(extname(name).slice(1), () => readFile(path), NAMED_BY_CONTENT);
}
