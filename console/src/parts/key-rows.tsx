import { Badge, Group, Select, Table, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.js';
import { Act } from './act.js';
import { ActForm } from './act-form.js';
import { Dialog } from './dialog.js';
import { Moment } from './moment.js';
import { Removal } from './removal.js';
import { Rename } from './rename.js';
import { Cell, Rows } from './rows.js';
import { ShownOnce } from './shown-once.js';

type ApiKey = Schemas['ApiKeyResponse'];

/** Returns a function that refetches the keys of projects and of sources after an action. */
export function useKeysRead(): () => Promise<unknown> {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['project'], predicate: ({ queryKey }) => queryKey[2] === 'keys' }),
      queries.invalidateQueries({ queryKey: ['source'] }),
    ]);
}

interface KeyRowsProps {
  readonly label: string;
  readonly keys: readonly ApiKey[];
  /** Why the caller may not change keys; undefined when they may. */
  readonly refusal: string | undefined;
}

/** Lists API keys, whose values are never shown again, with the actions on each. */
export function KeyRows({ label, keys, refusal }: KeyRowsProps) {
  return (
    <Rows label={label} columns={['Name', 'Begins with', 'Last used', 'State', null]} minWidth={760}>
      {keys.map((key) => (
        <Table.Tr key={key.id}>
          <Cell column="Name">
            {key.name}
            {key.allowed_origins !== undefined && (
              <Text size="xs" c="dimmed">
                For browsers: {key.allowed_origins.join(', ')}
              </Text>
            )}
          </Cell>
          <Cell column="Begins with" ff="monospace">
            {key.prefix}…
          </Cell>
          <Cell column="Last used">{key.last_used_at === null ? 'Never' : <Moment at={key.last_used_at} />}</Cell>
          <Cell column="State">
            <Badge
              className="state-badge"
              variant="light"
              color={key.status === 'active' ? 'sea' : key.status === 'rotating' ? 'orange' : 'gray'}
            >
              {key.status}
            </Badge>
            {key.status === 'rotating' && key.expires_at !== null && (
              <Text size="xs" c="dimmed">
                Until <Moment at={key.expires_at} />
              </Text>
            )}
          </Cell>
          <Table.Td>
            <KeyActs apiKey={key} refusal={refusal} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Rows>
  );
}

function KeyActs({ apiKey, refusal }: { readonly apiKey: ApiKey; readonly refusal: string | undefined }) {
  const readAnew = useKeysRead();
  const [openDialog, setOpenDialog] = useState<'rename' | 'rotate' | null>(null);
  const close = () => setOpenDialog(null);
  const { id: key_id, name, status } = apiKey;
  const revoke = async () => {
    await api.revokeApiKey({ path: { key_id } });
    await readAnew();
  };
  const isUsed = status === 'active' || status === 'rotating';
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {status === 'active' && (
        <>
          <Act
            refusal={refusal}
            size="xs"
            variant="subtle"
            aria-label={`Rename ${name}`}
            onAct={() => setOpenDialog('rename')}
          >
            Rename
          </Act>
          <Act
            refusal={refusal}
            size="xs"
            variant="subtle"
            aria-label={`Rotate ${name}`}
            onAct={() => setOpenDialog('rotate')}
          >
            Rotate
          </Act>
        </>
      )}
      {isUsed && (
        <Removal verb="Revoke" refusal={refusal} name={name} title="Revoke the key" act={revoke}>
          Programs that use <b>{name}</b> are refused at once. This cannot be taken back.
        </Removal>
      )}
      <Dialog title="Rename the key" isOpen={openDialog === 'rename'} onClose={close}>
        <RenameKey apiKey={apiKey} onDone={close} />
      </Dialog>
      <Dialog title="Rotate the key" isOpen={openDialog === 'rotate'} onClose={close}>
        <RotateForm apiKey={apiKey} onDone={close} />
      </Dialog>
    </Group>
  );
}

interface FormProps {
  readonly apiKey: ApiKey;
  readonly onDone: () => void;
}

function RenameKey({ apiKey, onDone }: FormProps) {
  const readAnew = useKeysRead();
  const rename = async (name: string) => {
    await api.updateApiKey({ path: { key_id: apiKey.id }, body: { name } });
    await readAnew();
  };
  return <Rename before={apiKey.name} rename={rename} onDone={onDone} />;
}

const GRACES = [
  { value: '0', label: 'Not at all: it ends now' },
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
  { value: '604800', label: 'A week' },
] as const;

function RotateForm({ apiKey, onDone }: FormProps) {
  const readAnew = useKeysRead();
  const [grace, setGrace] = useState<(typeof GRACES)[number]['value']>('86400');
  const [made, setMade] = useState<string | null>(null);
  const rotate = async () => {
    const { key } = await api.rotateApiKey({ path: { key_id: apiKey.id }, body: { grace_seconds: Number(grace) } });
    setMade(key);
    await readAnew();
  };
  if (made !== null) {
    return (
      <ShownOnce
        name="the new key"
        text={made}
        advice="Give it to the programs that use the old one, which ends when its time is over."
        onKept={onDone}
      />
    );
  }
  return (
    <ActForm verb="Make the new key" act={rotate}>
      <Text size="sm">
        A new key takes the place of <b>{apiKey.name}</b>, with the same name and rights.
      </Text>
      <Select
        label="The old one works on for"
        data={GRACES}
        value={grace}
        allowDeselect={false}
        onChange={(value) => value !== null && setGrace(value)}
      />
    </ActForm>
  );
}
