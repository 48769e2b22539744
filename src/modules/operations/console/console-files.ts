import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import { buildOutput } from '../../../platform/build-output/index.js';
import { NAMED_BY_CONTENT, PageFile } from '../../../platform/http/page-file.js';
import { consolePolicy } from '../../../platform/http/security-headers.js';
import { SsoDiscoveryService } from '../../tenancy/sso/index.js';

type Answer = (request: Request, response: Response) => Promise<void>;

const FOLDER = buildOutput('console');
const ASSETS = '/assets/';
/** The HTML for every address, and the HTML for the sign-in address, which already contains the sign-in form. */
const PAGES = { any: 'index.html', login: 'login.html' } as const;
const LOGIN = '/login';
/** Placeholder in the page that each response replaces with its own nonce. */
const NONCE = '__NONCE__';
/**
 * Placeholder in the page for the number of configured OIDC providers. The sign-in page reserves space for their
 * buttons.
 */
const COMPANY_PROVIDERS = '__COMPANY_PROVIDERS__';
/**
 * Placeholder in the page for whether the sign-in page reserves space for the button of single sign-on by mail address.
 * The page also requests the current state, and moves its parts once when the state differs.
 */
const COMPANY_BY_ADDRESS = '__COMPANY_BY_ADDRESS__';

/**
 * Serves the files of the console. The build names the files under `/assets/` by their content, so browsers may cache
 * them for ever. Every other address returns the page, which interprets the address.
 */
@Injectable()
export class ConsoleFiles {
  private assets: ReadonlyMap<string, PageFile> | undefined;
  private readonly texts = new Map<string, Promise<string>>();
  /** False in builds by other tools, which leave the console out. */
  private readonly isBuilt = existsSync(new URL(PAGES.any, FOLDER));

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly companies: SsoDiscoveryService,
  ) {}

  /** @returns undefined for methods other than GET and HEAD, and for files that do not exist */
  find(method: string, path: string): Answer | undefined {
    if (!this.isBuilt || (method !== 'GET' && method !== 'HEAD')) return undefined;
    if (path.startsWith(ASSETS)) return this.asset(path.slice(ASSETS.length));
    return path === LOGIN ? this.sendLogin : this.sendAny;
  }

  /** Looks the name up in the list of the build's files, so a path cannot lead to another folder. */
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
    const page = text.replace(COMPANY_BY_ADDRESS, String(this.companies.lastByAddress));
    response.type('html').send(page.replaceAll(NONCE, nonce));
  }

  private textOf(name: string): Promise<string> {
    const known = this.texts.get(name);
    if (known !== undefined) return known;
    const providers = String(this.config.oidcProviders.length);
    const text = readFile(new URL(name, FOLDER), 'utf8').then((page) => page.replace(COMPANY_PROVIDERS, providers));
    this.texts.set(name, text);
    text.catch(() => this.texts.delete(name));
    return text;
  }
}

function fileOf(name: string): PageFile {
  const path = fileURLToPath(new URL(`.${ASSETS}${name}`, FOLDER));
  return new PageFile(extname(name).slice(1), () => readFile(path), NAMED_BY_CONTENT);
}
