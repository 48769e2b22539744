import { expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { PASSWORD } from './actors.js';
import { eventually } from './eventually.js';
import { ofGitHub, HOOK_SECRET } from './hook-deliveries.js';
import type { Receiver } from './receiver.js';
import { type Account, call, ingestMessage, loginMessage, type Message, openAccount } from './service-traffic.js';
import { totpAt } from './totp.js';
import { expectedSignature } from './webhook-signature.js';

const DESTINATION_SECRET = 'a secret of a destination';
const TOKEN = 'open-sesame';
const REPORT = 'The report of the month';

type Json = Record<string, unknown>;

/**
 * An account with everything that the service stores encrypted or signs: a second factor, a secret, a protected header,
 * a destination, a source of webhooks, and an object.
 */
export class ProtectedSite {
  private constructor(
    readonly account: Account,
    private readonly receiver: Receiver,
    private readonly totpSecret: string,
    private readonly targets: { readonly channel_ids: string[]; readonly destination_ids: string[] },
    /** Null: the version that created the source had no addresses for webhooks. */
    private readonly hookPath: string | null,
    private readonly objectId: string,
  ) {}

  static async fill(url: string, dataDir: string, receiver: Receiver): Promise<ProtectedSite> {
    const account = await openAccount(url, dataDir);
    const { projectId: project_id, accessToken } = account;
    const post = (path: string, body: object, status = 201): Promise<Json> =>
      sent(url, jsonMessage('POST', path, body, accessToken), status);
    await post('/v1/secrets', { project_id, name: 'TOKEN', value: TOKEN });
    const channel = await post('/v1/delivery/channels', {
      project_id,
      name: 'Chat',
      type: 'webhook',
      configuration: { url: `${receiver.url}/channel` },
      protected_headers: [{ name: 'X-Token', value: 'Bearer {{secret:TOKEN}}' }],
    });
    const destination = await post('/v1/alert-destinations', {
      project_id,
      name: 'On call',
      type: 'webhook',
      target_url: `${receiver.url}/destination`,
      secret: DESTINATION_SECRET,
    });
    const source = await post('/v1/ingest-sources', {
      project_id,
      name: 'Repository',
      type: 'webhook',
      verification: { scheme: 'github', secret: HOOK_SECRET },
    });
    const object = await sent(
      url,
      {
        method: 'POST',
        path: `/v1/core/objects?project_id=${project_id}&key=report.txt`,
        headers: { 'Content-Type': 'text/plain', Authorization: `Bearer ${accessToken}` },
        body: REPORT,
      },
      201,
    );
    const { secret } = await post('/v1/account/two-factor/setup', { current_password: PASSWORD }, 200);
    await post('/v1/account/two-factor/enable', { code: codeOf(String(secret)) }, 200);
    return new ProtectedSite(
      account,
      receiver,
      String(secret),
      { channel_ids: [String(channel.id)], destination_ids: [String(destination.id)] },
      typeof source.hook_url === 'string' ? new URL(source.hook_url).pathname : null,
      String(object.id),
    );
  }

  /** Signs in with password and code. @returns the access token */
  async signIn(url: string): Promise<string> {
    const challenge = await sent(url, loginMessage(this.account.email), 200);
    expect(challenge.mfa_required).toBe(true);
    const answer = (steps: number): Message =>
      jsonMessage('POST', '/v1/auth/mfa/totp/verify', {
        challenge_token: challenge.challenge_token,
        code: codeOf(this.totpSecret, steps),
      });
    // The code of this half minute may have been used. The service also accepts the next one.
    let { status, body } = await call(url, answer(0));
    if (status !== 200) ({ status, body } = await call(url, answer(1)));
    expect({ status, body }).toMatchObject({ status: 200 });
    return String(body.access_token);
  }

  /** Sends an event that a new rule matches, and expects both notifications as their receivers verify them. */
  async expectDeliveries(url: string, accessToken: string): Promise<void> {
    const type = `payment.failed.${randomBytes(4).toString('hex')}`;
    await sent(
      url,
      jsonMessage(
        'POST',
        '/v1/alert-rules',
        {
          project_id: this.account.projectId,
          name: type,
          condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: type }] },
          ...this.targets,
        },
        accessToken,
      ),
      201,
    );
    const { account } = this;
    const event = JSON.stringify({ event_type: type, source: 'shop', event_id: type });
    await sent(url, { ...ingestMessage(account, type), body: event }, 200);
    const [toChannel, toDestination] = await eventually(
      async () =>
        ['/channel', '/destination'].map((path) =>
          this.receiver.received.find((one) => one.path === path && one.body.includes(type)),
        ),
      (requests) => requests.every((request) => request !== undefined),
      () => `not both receivers were notified of ${type}`,
    );
    expect(toChannel?.headers['x-token']).toBe(`Bearer ${TOKEN}`);
    expect(toDestination?.headers['x-service-signature']).toBe(expectedSignature(DESTINATION_SECRET, toDestination!));
  }

  /** Uses everything that needs a key of the service, a secret or the bytes of an object. */
  async expectWhole(url: string): Promise<void> {
    const accessToken = await this.signIn(url);
    const { body: object } = await call(url, {
      path: `/v1/core/objects/${this.objectId}`,
      headers: { Authorization: `Bearer ${accessToken}` },
    });
    const content = await fetch(new URL(pathAndQuery(String(object.download_url)), url));
    expect(await content.text()).toBe(REPORT);
    if (this.hookPath !== null) await expectHook(new URL(this.hookPath, url));
    await this.expectDeliveries(url, accessToken);
  }
}

async function expectHook(address: URL): Promise<void> {
  const hook = ofGitHub('push', { repository: { full_name: 'acme/shop' } });
  const headers = { 'Content-Type': 'application/json', ...hook.headers };
  const send = async (body: string): Promise<number> =>
    (await fetch(address, { method: 'POST', headers, body })).status;
  expect(await send(`${hook.body} `)).toBe(401);
  expect(await send(hook.body)).toBeLessThan(300);
}

function jsonMessage(method: string, path: string, body: object, accessToken?: string): Message {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (accessToken !== undefined) headers.Authorization = `Bearer ${accessToken}`;
  return { method, path, headers, body: JSON.stringify(body) };
}

async function sent(url: string, message: Message, status: number): Promise<Json> {
  const answer = await call(url, message);
  if (answer.status !== status) throw new Error(`${message.path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

function pathAndQuery(address: string): string {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
}

function codeOf(secret: string, steps = 0): string {
  return totpAt(secret, Date.now() / 1_000 + steps * 30);
}
