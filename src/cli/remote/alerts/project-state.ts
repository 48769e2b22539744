import type { Api } from '../http.js';
import { DEFAULTS, type Existing, KEPT_OF_RULES, type Kind, type Members, wholeConfiguration } from './things.js';

/** The destinations, channels, rules and silences of a project. */
export interface ProjectState {
  readonly things: readonly Existing[];
  /** The names of the project's secrets. */
  readonly secrets: ReadonlySet<string>;
  /** Sentences about things that no file can describe. */
  readonly notes: readonly string[];
}

interface Row extends Members {
  readonly id: string;
  readonly name: string;
}

/** Reads the state of a project. Silences that have ended are left out. */
export async function readState(api: Api, projectId: string): Promise<ProjectState> {
  const query = { project_id: projectId };
  const destinations = await api.get<Row[]>('/v1/alert-destinations', query);
  const channels = await api.get<Row[]>('/v1/delivery/channels', query);
  const rules = await api.get<Row[]>('/v1/alert-rules', query);
  // A list has at most 1,000 silences, and those that have ended are never removed.
  const silencesIn = (state: string): Promise<Row[]> => api.get<Row[]>('/v1/alerts/silences', { ...query, state });
  const silences = [...(await silencesIn('pending')), ...(await silencesIn('active'))];
  const secrets = await api.get<Row[]>('/v1/secrets', query);
  const nameOf = new Map([...destinations, ...channels].map(({ id, name }) => [id, name]));
  const unnamed = silences.filter(({ reason }) => !reason);
  return {
    things: [
      ...destinations.map(destinationOf),
      ...channels.map(channelOf),
      ...rules.map((rule) => ruleOf(rule, nameOf)),
      ...silences.filter(({ reason }) => reason).map(silenceOf),
    ],
    secrets: new Set(secrets.map(({ name }) => name)),
    notes: unnamed.map(({ id }) => `The silence ${id} has no reason, so it is left alone.`),
  };
}

function destinationOf(row: Row): Existing {
  const members = pick(row, ['type', 'target_url', 'is_enabled', 'template']);
  return { ...thing('destinations', row, members), hasSecret: row.has_secret === true };
}

function channelOf(row: Row): Existing {
  const members = {
    ...pick(row, ['type', 'enabled']),
    configuration: wholeConfiguration(row.type, row.configuration as Members),
  };
  const headers = (row.protected_headers ?? []) as readonly { readonly name: string }[];
  return { ...thing('channels', row, members), headerNames: headers.map(({ name }) => name) };
}

function ruleOf(row: Row, nameOf: ReadonlyMap<string, string>): Existing {
  const names = (ids: unknown): string[] => (ids as string[]).map((id) => nameOf.get(id) ?? id);
  const members = {
    ...pick(row, [...Object.keys(DEFAULTS.rules), 'condition', ...KEPT_OF_RULES]),
    destinations: names(row.destination_ids),
    channels: names(row.channel_ids),
  };
  return { ...thing('rules', row, members), notifiesNobody: row.notifies === 'nobody' };
}

function silenceOf(row: Row): Existing {
  return { ...thing('silences', row, pick(row, ['filter', 'starts_at', 'ends_at'])), name: String(row.reason) };
}

function thing(kind: Kind, { id, name }: Row, members: Members): Existing {
  return { kind, id, name, members };
}

function pick(row: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]]));
}
