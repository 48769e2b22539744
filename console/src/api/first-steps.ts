import { createClient } from '@operational-events/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from './client.js';
import { observedFetch } from './waiting.js';

/** The environment of events that the console sends. It tells them from events of the project's own programs. */
export const SAMPLE_ENVIRONMENT = 'sample';

/** Whether an event has arrived that a program of the project sent. */
export const hasOwnEvent = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'own-event'],
    queryFn: async ({ signal }) => {
      const where = `environment == null or environment != "${SAMPLE_ENVIRONMENT}"`;
      const { items } = await api.listEvents({ query: { project_id, where, limit: 1 } }, { signal });
      return items.length > 0;
    },
    // An event that has arrived stays.
    staleTime: ({ state: { data } }) => (data === true ? Infinity : 0),
  });

/** Returns the client of a program that has this key. */
function clientWith(apiKey: string) {
  return createClient({ url: location.origin, apiKey, retries: 0, fetch: observedFetch });
}

/** Sends one event as a program does. @returns the id of the stored event */
export async function sendTestEvent(apiKey: string): Promise<string> {
  const answer = await clientWith(apiKey).ingestEvent({
    body: {
      event_type: 'test.event',
      source: 'console',
      environment: SAMPLE_ENVIRONMENT,
      severity: 'info',
      message: 'The first steps sent this event.',
    },
  });
  if (!('ingested_event_id' in answer)) throw new Error('The service answered one event like a batch');
  return answer.ingested_event_id;
}

/** Sends events in one request. @returns how many of them the service took */
export async function sendEvents(apiKey: string, events: readonly object[]): Promise<number> {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  const body = new Blob(lines, { type: 'application/x-ndjson' });
  const answer = await clientWith(apiKey).ingestEvent({ body });
  return Number(answer.accepted);
}
