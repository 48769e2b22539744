import { Button, Group, Popover, Select, Stack, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import type { Window } from '../api/insight.js';

const RANGES = [
  { value: '15m', label: '15 minutes' },
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: 'all', label: 'All time' },
] as const;
const OTHER = 'other' as const;
const SHORT = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

interface Props {
  readonly value: Window;
  readonly onChange: (value: Window) => void;
}

/** A choice of a time window: the last hours or days, or two times in the viewer's time zone. */
export function WindowChoice({ value, onChange }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const { from, to } = value;
  const isOwn = from !== undefined && to !== undefined;
  const own = isOwn ? `${SHORT.format(new Date(from))} – ${SHORT.format(new Date(to))}` : 'From … to …';
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" trapFocus withArrow withRoles={false}>
      <Popover.Target>
        <div>
          <Select
            label="Time"
            w={{ base: 150, sm: isOwn ? 250 : 150 }}
            data={[...RANGES, { value: OTHER, label: own }]}
            allowDeselect={false}
            value={isOwn ? OTHER : (value.range ?? '24h')}
            onChange={(chosen) => {
              if (chosen === OTHER) setIsOpen(true);
              else onChange({ range: chosen ?? undefined, from: undefined, to: undefined });
            }}
          />
        </div>
      </Popover.Target>
      <Popover.Dropdown>
        <Moments
          from={from}
          to={to}
          onChange={(moments) => {
            setIsOpen(false);
            onChange({ range: undefined, ...moments });
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

interface MomentsProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly onChange: (moments: { readonly from: string; readonly to: string }) => void;
}

const HOUR_MS = 3_600_000;

function Moments({ from, to, onChange }: MomentsProps) {
  const [first, setFirst] = useState(() => localOf(from ?? new Date(Date.now() - HOUR_MS).toISOString()));
  const [last, setLast] = useState(() => localOf(to ?? new Date().toISOString()));
  const isOrdered = first !== '' && last !== '' && first < last;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isOrdered) onChange({ from: new Date(first).toISOString(), to: new Date(last).toISOString() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="From"
          type="datetime-local"
          required
          value={first}
          onChange={(event) => setFirst(event.currentTarget.value)}
        />
        <TextInput
          label="To"
          type="datetime-local"
          required
          value={last}
          error={!isOrdered && last !== '' ? 'It ends before it begins' : undefined}
          onChange={(event) => setLast(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" size="xs">
            Show it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Returns a time in the format of the browser's input: local, to the minute. */
function localOf(iso: string): string {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
