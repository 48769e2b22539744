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
/** The page, and the one that has the form of the sign-in page in it already. */
const PAGES = { any: 'index.html', login: 'login.html' } as const;
const LOGIN = '/login';
/** Where the page's text has the nonce of each answer. */
const NONCE = '__NONCE__';

/**
 * The files of the page. Those that the build named by their content are kept by browsers for good; every other address is one
 * of the page's own and gets the page, which finds out what it means.
 */
@Injectable()
export class ConsoleFiles {
  private assets: ReadonlyMap<string, PageFile> | undefined;
  private readonly texts = new Map<string, Promise<string>>();
  /** Builds by other tools than ours leave the page out. */
  private readonly isBuilt = existsSync(new URL(PAGES.any, FOLDER));

  /** @returns undefined for what is neither read nor there */
  find(method: string, path: string): Answer | undefined {
    if (!this.isBuilt || (method !== 'GET' && method !== 'HEAD')) return undefined;
    if (path.startsWith(ASSETS)) return this.asset(path.slice(ASSETS.length));
    return path === LOGIN ? this.sendLogin : this.sendAny;
  }

  /** Only what the build made has a name here, so that no path leads elsewhere. */
  private asset(name: string): Answer | undefined {
    this.assets ??= new Map(readdirSync(new URL(`.${ASSETS}`, FOLDER)).map((each) => [each, fileOf(each)]));
    return this.assets.get(name)?.send;
  }

  private readonly sendAny: Answer = (_request, response) => this.sendPage(PAGES.any, response);
  private readonly sendLogin: Answer = (_request, response) => this.sendPage(PAGES.login, response);

  private async sendPage(name: string, response: Response): Promise<void> {
    const text = await this.textOf(name);
    const nonce = randomBytes(16).toString('base64url');
    response.setHeader('Content-Security-Policy', consolePolicy(nonce));
    response.type('html').send(text.replaceAll(NONCE, nonce));
  }

  private textOf(name: string): Promise<string> {
    const known = this.texts.get(name);
    if (known !== undefined) return known;
    const text = readFile(new URL(name, FOLDER), 'utf8');
    this.texts.set(name, text);
    text.catch(() => this.texts.delete(name));
    return text;
  }
}

function fileOf(name: string): PageFile {
  const path = fileURLToPath(new URL(`.${ASSETS}${name}`, FOLDER));
  return new PageFile(extname(name).slice(1), () => readFile(path), NAMED_BY_CONTENT);
}
