import { ActionIcon, Button, Group, Menu, Popover, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useInterval, useMediaQuery, useWindowEvent } from '@mantine/hooks';
import { useMatches } from '@tanstack/react-router';
import { type SubmitEvent, useEffect, useState } from 'react';
import type { Window } from '../api/insight.js';
import { Icon } from '../parts/icons.js';
import { earlier, later, RANGE_NAMES, type Span, spanOf, wider } from '../parts/spans.js';
import { useKeys } from '../parts/use-keys.js';
import { type Clock, clockOf, isoOf, LOCAL_ZONE, offsetName, placeOf, wallOf } from '../parts/zone.js';
import { REFRESHES } from '../routes/time-search.js';
import { type TimeRange, useTimeRange } from './time-range.js';

/** From this width on, the header has room for the range. */
const WIDE = '(min-width: 75em)';
const CLOCK_MS = 15_000;
const DAY_MS = 86_400_000;
const TIME_KEYS = {
  title: 'Time range',
  names: { t: 'Choose a range', '← →': 'Earlier, later', '-': 'Zoom out' },
};

interface Props {
  /** On a wide screen the range stands in the header, otherwise above the page. */
  readonly isInHeader: boolean;
}

/** The choice of the time range, on pages that have one. */
export function TimeBar({ isInHeader }: Props) {
  const isTimed = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isTimed === true) });
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  return isTimed && isWide === isInHeader ? <Bar isInHeader={isInHeader} /> : null;
}

function Bar({ isInHeader }: Props) {
  const time = useTimeRange();
  const { window, setWindow, refresh, readAgain } = time;
  const [isOpen, setIsOpen] = useState(false);
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), CLOCK_MS, { autoInvoke: true });
  useEffect(() => {
    if (refresh === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden) readAgain('old');
    }, refresh * 1000);
    return () => clearInterval(timer);
  }, [refresh, readAgain]);

  const go = (change: (window: Window, now: number) => Window | undefined) => {
    const next = change(window, Date.now());
    if (next !== undefined) setWindow(next);
  };
  useKeys({ t: () => setIsOpen(true), '-': () => go(wider) }, TIME_KEYS);
  // Arrows move through lists, tables that scroll and menus, which have the focus then.
  useWindowEvent('keydown', ({ key, target, ctrlKey, metaKey, altKey, shiftKey }) => {
    if (target !== document.body || ctrlKey || metaKey || altKey || shiftKey) return;
    if (key === 'ArrowLeft') go(earlier);
    if (key === 'ArrowRight') go(later);
  });

  const clock = clockOf(time.zone);
  const span = spanOf(window, now);
  const dates = span === null ? '' : datesOf(span, clock);
  const name = window.from === undefined ? RANGE_NAMES.find(({ value }) => value === window.range)?.label : undefined;
  return (
    <Group
      gap={6}
      wrap={isInHeader ? 'nowrap' : 'wrap'}
      mb={isInHeader ? 0 : 'md'}
      role="group"
      aria-label="Time range"
    >
      <Group gap={0} wrap="nowrap" maw="100%">
        <Step label="Earlier" icon="left" isOff={earlier(window, now) === undefined} onGo={() => go(earlier)} />
        <Popover
          opened={isOpen}
          onChange={setIsOpen}
          position="bottom"
          trapFocus
          returnFocus
          withArrow
          shadow="md"
          withRoles={false}
        >
          <Popover.Target>
            <Button
              variant="default"
              size="sm"
              px="sm"
              className="numbers"
              leftSection={<Icon name="past" size={16} />}
              aria-label={`Time: ${name ?? ''} ${dates}`}
              style={{ flex: '0 1 auto', minWidth: 0 }}
              aria-haspopup="dialog"
              aria-expanded={isOpen}
              onClick={() => setIsOpen(!isOpen)}
            >
              <span>
                {name ?? dates}{' '}
                {name !== undefined && dates !== '' && (
                  <Text span size="xs" c="dimmed" fw={400} visibleFrom="xl">
                    {dates}
                  </Text>
                )}
              </span>
            </Button>
          </Popover.Target>
          <Popover.Dropdown role="dialog" aria-label="Choice of a time">
            <Choices
              time={time}
              onChoose={(next) => {
                setIsOpen(false);
                setWindow(next);
              }}
            />
          </Popover.Dropdown>
        </Popover>
        <Step label="Later" icon="right" isOff={later(window, now) === undefined} onGo={() => go(later)} />
        <Step label="Zoom out" icon="wider" isOff={wider(window, now) === undefined} onGo={() => go(wider)} />
      </Group>
      <ZoneMenu time={time} now={now} />
      <RefreshMenu time={time} />
    </Group>
  );
}

/** Names the day once when both moments are of one day. */
function datesOf({ from, to }: Span, clock: Clock): string {
  const isOneDay = clock.day(from) === clock.day(to) && to - from < DAY_MS;
  return `${clock.minute(from)} – ${(isOneDay ? clock.time : clock.minute)(to)}`;
}

interface StepProps {
  readonly label: string;
  readonly icon: 'left' | 'right' | 'wider';
  readonly isOff: boolean;
  readonly onGo: () => void;
}

function Step({ label, icon, isOff, onGo }: StepProps) {
  return (
    <ActionIcon variant="default" size={36} aria-label={label} title={label} disabled={isOff} onClick={onGo}>
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}

interface ChoicesProps {
  readonly time: TimeRange;
  readonly onChoose: (window: Window) => void;
}

const HOUR_MS = 3_600_000;

/** Shows the ranges, and two fields for times in the chosen zone. */
function Choices({ time: { window, zone }, onChoose }: ChoicesProps) {
  const [first, setFirst] = useState(() => wallOf(spanOf(window, Date.now())?.from ?? Date.now() - HOUR_MS, zone));
  const [last, setLast] = useState(() => wallOf(spanOf(window, Date.now())?.to ?? Date.now(), zone));
  const isOrdered = first !== '' && last !== '' && first < last;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isOrdered) onChoose({ from: isoOf(first, zone), to: isoOf(last, zone) });
  };
  return (
    <Stack gap="sm" w={300}>
      <SimpleGrid cols={2} spacing={6} verticalSpacing={6}>
        {RANGE_NAMES.map(({ value, label }) => (
          <Button
            key={value}
            size="compact-sm"
            variant={window.range === value ? 'light' : 'default'}
            aria-pressed={window.range === value}
            onClick={() => onChoose({ range: value })}
          >
            {label}
          </Button>
        ))}
      </SimpleGrid>
      <form onSubmit={submit}>
        <Stack gap="xs">
          <TextInput
            label="From"
            type="datetime-local"
            required
            withAsterisk={false}
            value={first}
            onChange={(event) => setFirst(event.currentTarget.value)}
          />
          <TextInput
            label="To"
            type="datetime-local"
            required
            withAsterisk={false}
            value={last}
            error={!isOrdered && first !== '' && last !== '' ? 'It ends before it begins' : undefined}
            onChange={(event) => setLast(event.currentTarget.value)}
          />
          <Group justify="space-between" wrap="nowrap">
            <Text size="xs" c="dimmed">
              Times of {placeOf(zone)}
            </Text>
            <Button type="submit" size="xs">
              Apply
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}

const PROJECT = 'project';

function ZoneMenu({ time, now }: { readonly time: TimeRange; readonly now: number }) {
  const { zone, zoneChoice, projectZone, setZone } = time;
  const offset = offsetName(zone, now);
  const choices = [
    { value: undefined, label: 'Project', name: projectZone },
    { value: 'utc', label: 'UTC', name: 'UTC' },
    { value: 'local', label: 'Local', name: LOCAL_ZONE },
  ] as const;
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button variant="default" size="sm" px="sm" aria-label={`Time zone: ${placeOf(zone)} ${offset}`}>
          <span>
            {placeOf(zone)}{' '}
            {offset !== placeOf(zone) && (
              <Text span size="xs" c="dimmed" fw={400} className="numbers">
                {offset}
              </Text>
            )}
          </span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Time zone</Menu.Label>
        <Menu.RadioGroup value={zoneChoice ?? PROJECT}>
          {choices.map(({ value, label, name }) => (
            <Menu.RadioItem
              key={label}
              value={value ?? PROJECT}
              closeMenuOnClick
              aria-label={`${label}: ${name}`}
              onChange={() => setZone(value)}
            >
              {label}
              <Text size="xs" c="dimmed">
                {name}, {offsetName(name, now)}
              </Text>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

const OFF = 'off';

function nameOf(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${seconds / 60} min`;
}

function RefreshMenu({ time: { refresh, setRefresh, readAgain } }: { readonly time: TimeRange }) {
  const chosen = refresh === undefined ? 'Off' : nameOf(refresh);
  return (
    <Group gap={0} wrap="nowrap">
      <ActionIcon variant="default" size={36} aria-label="Refresh" title="Refresh" onClick={() => readAgain('all')}>
        <Icon name="again" size={16} />
      </ActionIcon>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="sm" px="xs" aria-label={`Refresh interval: ${chosen}`}>
            {chosen}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.RadioGroup value={refresh === undefined ? OFF : String(refresh)}>
            <Menu.RadioItem value={OFF} closeMenuOnClick onChange={() => setRefresh(undefined)}>
              Off
            </Menu.RadioItem>
            {REFRESHES.map((value) => (
              <Menu.RadioItem key={value} value={value} closeMenuOnClick onChange={() => setRefresh(value)}>
                Every {nameOf(Number(value))}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
