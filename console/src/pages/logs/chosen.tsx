import { Button, Group } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { EVENT_FILTERS, type EventFilters } from '../../api/insight.js';
import { sources } from '../../api/owning.js';
import { Chip } from '../../parts/chip.js';
import { allOf, clausesOf } from '../../parts/conditions.js';
import type { LogsSearch } from '../../routes/logs-search.js';
import type { Change } from './view-menu.js';

interface Props {
  readonly projectId: string;
  readonly search: LogsSearch;
  readonly facets: Schemas['FacetsOfEvents'] | undefined;
  readonly set: (change: Change) => void;
}

const NAMES: Record<keyof EventFilters, string> = {
  event: 'Event',
  source_id: 'Source',
  severity: 'Severity',
  status: 'Status',
  environment: 'Environment',
};

/** The change of the address that removes all filters. */
export const NO_FILTERS: Partial<LogsSearch> = {
  ...Object.fromEntries(EVENT_FILTERS.map((name) => [name, undefined])),
  q: undefined,
  where: undefined,
};

/** The most characters of a condition that its chip shows. */
const MAX_SHOWN_CHARACTERS = 120;

function short(text: string): string {
  const characters = [...text];
  return characters.length > MAX_SHOWN_CHARACTERS ? `${characters.slice(0, MAX_SHOWN_CHARACTERS).join('')}…` : text;
}

/** Shows every filter of the search. A click removes one. */
export function Chosen({ projectId, search, facets, set }: Props) {
  const { source_id, q, where } = search;
  const counted = facets?.source_id.find(({ value }) => value === source_id)?.name;
  // A source without events in the range has no facet.
  const listed = useQuery({ ...sources(projectId), enabled: source_id !== undefined && counted === undefined });
  const sourceName = counted ?? listed.data?.find(({ id }) => id === source_id)?.name ?? source_id;
  const clauses = clausesOf(where);
  const chosen = EVENT_FILTERS.filter((name) => search[name] !== undefined);
  if (chosen.length === 0 && clauses.length === 0 && q === undefined) return null;
  return (
    <Group gap="xs" role="group" aria-label="Filters that apply">
      {chosen.map((name) => (
        <Chip key={name} onClear={() => set({ [name]: undefined })}>
          <bdi>
            {NAMES[name]}: {short((name === 'source_id' ? sourceName : search[name]) ?? '')}
          </bdi>
        </Chip>
      ))}
      {clauses.map((clause, index) => (
        <Chip
          key={`${index} ${clause}`}
          onClear={() => set((before) => ({ where: allOf(clausesOf(before.where).filter((each) => each !== clause)) }))}
        >
          <bdi style={{ fontFamily: 'var(--mantine-font-family-monospace)', fontWeight: 500 }}>{short(clause)}</bdi>
        </Chip>
      ))}
      {q !== undefined && (
        <Chip onClear={() => set({ q: undefined })}>
          Text: <bdi>{short(q)}</bdi>
        </Chip>
      )}
      <Button size="compact-sm" variant="subtle" onClick={() => set(NO_FILTERS)}>
        Clear
      </Button>
    </Group>
  );
}
