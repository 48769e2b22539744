import { createClient, each, isRefusal, Session, stream } from '@operational-events/client';
import { EventSender } from '@operational-events/client/sender';

interface Surroundings {
  /** Of the service. */
  readonly url: string;
  /** The token of the link that was mailed to an address. */
  readonly mailedToken: (email: string) => Promise<string>;
  /** Where alerts are told. */
  readonly webhook: string;
}

/** From nothing to a delivered webhook: the tour of the service's README. Returns what it has seen. */
export async function tour({ url, mailedToken, webhook }: Surroundings): Promise<string[]> {
  const seen: string[] = [];
  const session = new Session();
  const api = createClient({ url, session });

  // 1. An account, and the address that is its own.
  const [email, password] = ['ada@example.com', 'analytical-engine'];
  await api.registerAccount({ body: { email, password, name: 'Ada' } });
  await api.verifyEmail({ body: { email, token: await mailedToken(email) } });

  // 2. Signed in: the session keeps the tokens and renews them.
  const answer = await api.logIn({ body: { username: email, password } });
  if ('mfa_required' in answer) throw new Error(`One of ${answer.methods.join(', ')} is asked for`);

  // 3. An organization, a project, a key.
  const organization = await api.createOrganization({ body: { name: 'Acme', slug: 'acme' } });
  const project = { organization_id: organization.id, name: 'Web shop', slug: 'web-shop' };
  const { id: project_id } = await api.createProject({ body: project });
  const { key } = await api.createApiKey({ body: { project_id, name: 'Web server' } });

  try {
    await api.createProject({ body: project });
  } catch (error) {
    // `detail` is the text of this status and operation, and nothing else.
    if (!isRefusal(error, 'createProject') || error.status !== 403) throw error;
    if (error.detail === 'Plan limit reached: projects') seen.push('the free plan has one project');
  }

  // 4. An event and the log row that it became, and what counts towards the plan.
  const payload = { method: 'GET', path: '/cart', status_code: 200, latency_ms: 41 };
  const shop = createClient({ url, apiKey: key });
  await shop.ingestEvent({ body: { event_type: 'http.request', source: 'web', payload } });
  for (const row of await api.listLogs({ query: { project_id } })) seen.push(`${row.method} ${row.endpoint}`);
  seen.push(`${(await shop.getCurrentUsage()).events_used} event counted`);

  // 5. A destination, a rule, and an event that fits: the webhook arrives.
  await api.createAlertDestination({
    body: { project_id, type: 'webhook', name: 'Me', target_url: webhook, secret: 's3cret' },
  });
  await api.createAlertRule({
    body: {
      project_id,
      name: 'Payments fail',
      condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] },
    },
  });
  const events = new EventSender({ url, apiKey: key, source: 'web' });
  events.send({ event_type: 'payment.failed', payload: { amount: 120 } });
  await events.close();
  for await (const { alert_event } of stream(api.streamAlertEvents, { query: { project_id } })) {
    seen.push(`${alert_event.rule_name} is ${alert_event.status}`);
    break;
  }
  for await (const event of each(api.listEvents, { query: { project_id, limit: 1 } })) seen.push(event.event);

  await api.logOut({ body: { refresh_token: session.tokens?.refresh_token ?? '' } });
  return seen;
}
