import './log-detail.css';
import { ActionIcon, Button, CopyButton, Group, Kbd, Menu, Text, Title } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import type { KeyboardEvent } from 'react';
import { isOther } from '../../parts/conditions.js';
import { Icon } from '../../parts/icons.js';
import { whole } from '../../parts/numbers.js';
import { useDialogKeys } from '../../parts/use-keys.js';
import { EventDetail } from '../insight/event-detail.js';
import { type Leaf, leavesOf } from './leaves.js';
import { type Addition, only } from './tokens.js';

type Event = Schemas['EventDetail'];

interface Props {
  readonly projectId: string;
  readonly eventId: string | undefined;
  /** The position in the list, from 0. It is -1 when the event is not in the list. */
  readonly at: number;
  readonly total: number;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
  readonly onClose: () => void;
  readonly onAdd: (addition: Addition) => void;
  readonly onCount: (path: string) => void;
  readonly onColumn: (path: string) => void;
}

/** Shows one event of the list, with ways to filter by its values. */
export function LogDetail(props: Props) {
  const { projectId, eventId, at, total, onPrevious, onNext, onClose } = props;
  const isOpen = eventId !== undefined;
  useDialogKeys({
    j: () => isOpen && onNext?.(),
    k: () => isOpen && onPrevious?.(),
  });
  const head = (
    <Group gap="xs" mb="sm">
      <ActionIcon
        variant="default"
        size={36}
        aria-label="Previous event"
        title="Previous event (k)"
        disabled={onPrevious === undefined}
        onClick={onPrevious}
      >
        <Icon name="up" size={16} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={36}
        aria-label="Next event"
        title="Next event (j)"
        disabled={onNext === undefined}
        onClick={onNext}
      >
        <Icon name="down" size={16} />
      </ActionIcon>
      {at >= 0 && (
        <Text size="sm" c="dimmed" className="numbers">
          {whole(at + 1)} of {whole(total)}
        </Text>
      )}
    </Group>
  );
  return (
    <EventDetail projectId={projectId} eventId={eventId} onClose={onClose} head={head}>
      {(event) => (
        <>
          <Copies event={event} />
          <Values event={event} {...props} />
        </>
      )}
    </EventDetail>
  );
}

function Copies({ event }: { readonly event: Event }) {
  const copies = [
    { name: 'link', text: () => location.href },
    { name: 'JSON', text: () => JSON.stringify(event, null, 2) },
    {
      name: 'curl',
      text: () =>
        `curl -sS '${location.origin}/v1/projects/${event.project_id}/events/${event.id}' -H "Authorization: Bearer $TOKEN"`,
    },
  ];
  return (
    <Group gap="xs">
      {copies.map(({ name, text }) => (
        <CopyButton key={name} value={text()}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : `Copy ${name}`}
            </Button>
          )}
        </CopyButton>
      ))}
    </Group>
  );
}

/** Returns the properties of an item of a menu that has a key. */
function keyed(key: string) {
  return {
    'data-key': key,
    rightSection: (
      <Kbd size="xs" aria-hidden>
        {key}
      </Kbd>
    ),
  };
}

/** Chooses the item of an open menu whose key was pressed. */
function pressItem(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-key]')];
  const item = items.find(({ dataset }) => dataset.key === event.key);
  if (item === undefined) return;
  event.preventDefault();
  item.click();
}

/** The most characters of a value that its line shows. */
const MAX_SHOWN_CHARACTERS = 300;

function Values({ event, onAdd, onCount, onColumn }: Pick<Props, 'onAdd' | 'onCount' | 'onColumn'> & { event: Event }) {
  const { log } = event;
  const own: Leaf[] = (
    [
      ['event', event.event],
      ['source', event.source],
      ['severity', event.severity],
      ['status', event.status],
      ['environment', event.environment],
      ['message', event.message],
      ['log.method', log.method],
      ['log.endpoint', log.endpoint],
      ['log.status', log.status],
      ['log.latency_ms', log.latency_ms],
    ] as const
  ).map(([name, value]) => ({ name, value, field: name, path: undefined }));
  return (
    <div role="group" aria-label="Values">
      <Title order={3} size="h6" mb={4}>
        Values
      </Title>
      {[...own, ...leavesOf(event.properties)].map(({ name, value, field, path }, index) => (
        <Menu key={`${index} ${name}`} position="bottom-end" width={260} disabled={field === undefined}>
          <Menu.Target>
            <button type="button" className="log-value" disabled={field === undefined}>
              <bdi>{name}</bdi>
              <bdi>{value === null ? 'null' : String(value).slice(0, MAX_SHOWN_CHARACTERS)}</bdi>
            </button>
          </Menu.Target>
          <Menu.Dropdown onKeyDown={pressItem}>
            <Menu.Label>
              <bdi>{name}</bdi>
            </Menu.Label>
            <Menu.Item {...keyed('=')} onClick={() => field !== undefined && onAdd(only(field, value))}>
              Filter for this value
            </Menu.Item>
            <Menu.Item {...keyed('-')} onClick={() => field !== undefined && onAdd({ clause: isOther(field, value) })}>
              Exclude this value
            </Menu.Item>
            {path !== undefined && (
              <>
                <Menu.Item {...keyed('b')} onClick={() => onCount(path)}>
                  Count by this property
                </Menu.Item>
                <Menu.Item onClick={() => onColumn(path)}>Add as a column</Menu.Item>
              </>
            )}
            <CopyButton value={String(value)}>
              {({ copy }) => (
                <Menu.Item {...keyed('c')} onClick={copy}>
                  Copy the value
                </Menu.Item>
              )}
            </CopyButton>
          </Menu.Dropdown>
        </Menu>
      ))}
    </div>
  );
}
