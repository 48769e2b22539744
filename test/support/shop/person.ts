import type { Test } from 'supertest';
import type { TestApp } from '../app.js';
import type { Json } from '../delivery.js';
import { tokenIn, waitForMails } from '../outbox.js';

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const PASSWORD = 'correct-horse-battery';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Whoever asks the service for something and gets it: an answer without success fails the test with what it says. */
export class Caller {
  constructor(
    protected readonly app: Pick<TestApp, 'request'>,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  get(path: string, query: Query = {}): Promise<Json> {
    return this.send('get', path, (request) => request.query(query));
  }

  post(path: string, body?: object | string, query: Query = {}): Promise<Json> {
    return this.send('post', path, (request) => request.query(query).send(body));
  }

  put(path: string, body: object): Promise<Json> {
    return this.send('put', path, (request) => request.send(body));
  }

  patch(path: string, body: object, query: Query = {}): Promise<Json> {
    return this.send('patch', path, (request) => request.query(query).send(body));
  }

  delete(path: string, query: Query = {}): Promise<Json> {
    return this.send('delete', path, (request) => request.query(query));
  }

  /** The same with one more header, such as the type of what is sent. */
  with(name: string, value: string): Caller {
    return new Caller(this.app, { ...this.headers, [name]: value });
  }

  private async send(verb: Verb, path: string, finish: (request: Test) => Test): Promise<Json> {
    const { status, type, text, body } = await finish(this.app.request()[verb](path).set(this.headers));
    if (status >= 300) throw new Error(`${verb} ${path}: ${status} ${text}`);
    return type === 'application/json' ? body : text;
  }
}

/** Somebody with an account, signed in. */
export class Person extends Caller {
  private constructor(
    app: Pick<TestApp, 'request'>,
    readonly id: string,
    readonly email: string,
    readonly bearer: string,
  ) {
    super(app, { Authorization: bearer, 'User-Agent': BROWSER });
  }

  /** The whole way: registration, the link in the mail, the password. */
  static async join(app: TestApp, name: string, email: string): Promise<Person> {
    const nobody = new Caller(app, { 'User-Agent': BROWSER });
    await nobody.post('/v1/auth/register', { email, password: PASSWORD, name });
    const [mail] = await waitForMails(app.dataDir, email, 1);
    if (mail === undefined) throw new Error('no mail');
    await nobody.post('/v1/auth/verify-email', { email, token: tokenIn(mail) });
    const form = nobody.with('Content-Type', 'application/x-www-form-urlencoded');
    const { access_token: token } = await form.post('/v1/auth/login', { username: email, password: PASSWORD });
    const me = await nobody.with('Authorization', `Bearer ${token}`).get('/v1/auth/me');
    return new Person(app, me.id, email, `Bearer ${token}`);
  }
}
