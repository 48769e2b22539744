import type { Test } from 'supertest';
import type { Json } from '../delivery-api.js';
import { type Account, Api, PASSWORD } from '../service.js';
import { mailsTo, tokenIn } from '../service-mail.js';

type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/**
 * Sends requests with certain headers. A request that does not succeed fails the test, with the status and the answer.
 */
export class Caller {
  private readonly api: Api;

  constructor(private readonly headers: Readonly<Record<string, string>> = {}) {
    this.api = new Api(headers);
  }

  get(path: string, query: Query = {}): Promise<Json> {
    return bodyOf(this.api.get(path).query(query));
  }

  post(path: string, body?: object | string, query: Query = {}): Promise<Json> {
    return bodyOf(this.api.post(path, body).query(query));
  }

  put(path: string, body: object): Promise<Json> {
    return bodyOf(this.api.put(path, body));
  }

  patch(path: string, body: object, query: Query = {}): Promise<Json> {
    return bodyOf(this.api.patch(path, body).query(query));
  }

  delete(path: string, query: Query = {}): Promise<Json> {
    return bodyOf(this.api.delete(path).query(query));
  }

  /** Returns a caller with one more header, such as the media type of the body. */
  with(name: string, value: string): Caller {
    return new Caller({ ...this.headers, [name]: value });
  }
}

async function bodyOf(request: Test): Promise<Json> {
  const { status, type, text, body } = await request;
  if (status >= 300) throw new Error(`${request.method} ${request.url}: ${status} ${text}`);
  return type === 'application/json' ? body : text;
}

/** A signed-in person with an account. */
export class Person extends Caller {
  constructor(readonly account: Account) {
    super({ Authorization: `Bearer ${account.accessToken}`, 'User-Agent': BROWSER });
  }

  get id(): string {
    return this.account.id;
  }

  get email(): string {
    return this.account.email;
  }

  /** Registers, confirms the address with the link in the mail, and signs in with the password. */
  static async join(name: string, email: string): Promise<Person> {
    const nobody = new Caller({ 'User-Agent': BROWSER });
    await nobody.post('/v1/auth/register', { email, password: PASSWORD, name });
    const [mail] = await mailsTo(email);
    if (mail === undefined) throw new Error('no mail');
    await nobody.post('/v1/auth/verify-email', { email, token: tokenIn(mail) });
    const form = nobody.with('Content-Type', 'application/x-www-form-urlencoded');
    const tokens = await form.post('/v1/auth/login', { username: email, password: PASSWORD });
    const me = await nobody.with('Authorization', `Bearer ${tokens.access_token}`).get('/v1/auth/me');
    return new Person({ id: me.id, email, accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  }
}
