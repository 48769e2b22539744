import { type ApiClient, listOf, numberOf, textOf, isRecord } from './api-client.js';
import { type Column, printable, tableLines } from './table.js';
import type { SignIn, Workspace } from './workspace.js';

export type LogRange = '24h' | 'all';

const LOG_LIMIT = 15;

const LOG_COLUMNS: readonly Column[] = [
  { title: 'time' },
  { title: 'method' },
  { title: 'status', align: 'right' },
  { title: 'ms', align: 'right' },
  { title: 'endpoint', maxWidth: 72 },
];

/** Returns the newest log rows as a table. */
export async function logLines(
  client: ApiClient,
  signIn: SignIn,
  projectId: string,
  range: LogRange,
): Promise<string[]> {
  const path = `/v1/logs?${new URLSearchParams({ project_id: projectId, range, limit: String(LOG_LIMIT) }).toString()}`;
  const rows = listOf(await client.call('GET', path, { headers: await signIn.header() }));
  if (rows.length === 0) return ['No log rows.'];
  const cells = rows.map((row) => [
    textOf(row, 'timestamp'),
    textOf(row, 'method'),
    String(numberOf(row, 'status')),
    String(numberOf(row, 'latency_ms')),
    textOf(row, 'endpoint'),
  ]);
  return [`Newest log rows (range=${range})`, ...tableLines(LOG_COLUMNS, cells)];
}

/** Returns lines with the metered usage of this month, and with the number of events dated in the last 30 days. */
export async function usageLines(client: ApiClient, signIn: SignIn, workspace: Workspace): Promise<string[]> {
  const current = await client.call('GET', '/v1/usage/current', { headers: { 'X-API-Key': workspace.apiKey } });
  const path = `/v1/usage?${new URLSearchParams({ project_id: workspace.projectId, period: '30d' }).toString()}`;
  const recent = await client.call('GET', path, { headers: await signIn.header() });
  const total = numberOf(recent, 'total_events');
  const window = `${textOf(recent, 'from_ts').slice(0, 10)} to ${textOf(recent, 'to_ts').slice(0, 10)}`;
  return [
    'Usage',
    `  events ingested in ${textOf(current, 'month')}: ${numberOf(current, 'events_used')}`,
    `  events dated in the last 30 days (${window}): ${total}${total === 0 ? ', older ones do not count here' : ''}`,
    ...byEventLines(isRecord(recent) ? listOf(recent.by_event) : []),
  ];
}

function byEventLines(totals: readonly unknown[]): string[] {
  if (totals.length === 0) return [];
  const cells = totals.map((row) => [textOf(row, 'event'), String(numberOf(row, 'total'))]);
  return tableLines(
    [
      { title: 'event', maxWidth: 60 },
      { title: 'total', align: 'right' },
    ],
    cells,
  ).map((line) => `    ${line}`);
}

export function credentialLines(workspace: Workspace): string[] {
  return [
    'Credentials',
    `  email         ${workspace.email}`,
    `  password      ${workspace.password}`,
    `  organization  ${workspace.organizationId}`,
    `  project       ${workspace.projectId}`,
    `  API key       ${printable(workspace.apiKey)}`,
  ];
}

const SAMPLE = JSON.stringify({
  event_type: 'http.request',
  source: 'curl',
  payload: { method: 'GET', path: '/hello', status_code: 200, latency_ms: 12 },
});

/** Returns three commands for a POSIX shell: sign in, send one event, read the newest rows. */
export function curlLines(baseUrl: string, workspace: Workspace, range: LogRange): string[] {
  const { email, password, apiKey, projectId } = workspace;
  const url = (path: string): string => quote(`${baseUrl}${path}`);
  const readToken = quote('JSON.parse(fs.readFileSync(0, "utf8")).access_token');
  const login = `curl -sS ${url('/v1/auth/login')} --data-urlencode ${quote(`username=${email}`)} --data-urlencode ${quote(`password=${password}`)}`;
  return [
    `TOKEN=$(${login} | node -p ${readToken})`,
    `curl -sS -w '\\n' ${url('/v1/events/ingest')} -H ${quote(`X-API-Key: ${apiKey}`)} -H 'Content-Type: application/json' -d ${quote(SAMPLE)}`,
    `curl -sS -w '\\n' ${url(`/v1/logs?project_id=${projectId}&range=${range}&limit=${LOG_LIMIT}`)} -H "Authorization: Bearer $TOKEN"`,
  ];
}

/** Quotes a text as one word of a POSIX shell. */
export function quote(text: string): string {
  if (/^[\w./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
