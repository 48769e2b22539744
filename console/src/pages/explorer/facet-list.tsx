import './facet-list.css';
import { Button, Card, Stack, Text, UnstyledButton } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useState } from 'react';
import type { EventFilters } from '../../api/insight.js';
import { whole } from '../../parts/numbers.js';

interface Props {
  /** Undefined until they are loaded. */
  readonly facets: Schemas['FacetsOfEvents'] | undefined;
  readonly filters: EventFilters;
  readonly onChoose: (change: EventFilters) => void;
}

const FIELDS = [
  { name: 'event', label: 'Event' },
  { name: 'source_id', label: 'Event Source' },
  { name: 'severity', label: 'Severity' },
  { name: 'status', label: 'Status' },
  { name: 'environment', label: 'Environment' },
] as const;
const SHOWN = 8;

/** Shows values with the number of events that each would leave. A click chooses a value, a second click removes it. */
export function FacetList({ facets, filters, onChoose }: Props) {
  return (
    <Card withBorder padding="sm">
      <Stack gap="md">
        {FIELDS.map(({ name, label }) => (
          <Facet
            key={name}
            label={label}
            values={facets?.[name] ?? []}
            chosen={filters[name]}
            onChoose={(value) => onChoose({ [name]: value })}
          />
        ))}
      </Stack>
    </Card>
  );
}

interface FacetProps {
  readonly label: string;
  readonly values: readonly (Schemas['FacetValueResponse'] & { readonly name?: string | null })[];
  readonly chosen: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

function Facet({ label, values, chosen, onChoose }: FacetProps) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? values : values.slice(0, SHOWN);
  return (
    <div role="group" aria-label={label}>
      <Text size="xs" c="dimmed" fw={600} mb={4}>
        {label}
      </Text>
      {values.length === 0 && (
        <Text size="sm" c="dimmed">
          –
        </Text>
      )}
      {shown.map(({ value, name, count }) =>
        value === null ? (
          <div key="none" className="facet numbers">
            <Text span inherit c="dimmed">
              says none
            </Text>
            <span>{whole(count)}</span>
          </div>
        ) : (
          <UnstyledButton
            key={value}
            className="facet numbers"
            aria-pressed={chosen === value}
            onClick={() => onChoose(chosen === value ? undefined : value)}
          >
            <span title={name ?? value}>{name ?? value}</span>
            <span>{whole(count)}</span>
          </UnstyledButton>
        ),
      )}
      {values.length > SHOWN && (
        <Button size="compact-xs" variant="subtle" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${values.length}`}
        </Button>
      )}
    </div>
  );
}
