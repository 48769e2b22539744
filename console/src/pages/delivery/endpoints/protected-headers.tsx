import { Button, Group, PasswordInput, Stack, Table, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { ActForm } from '../../../parts/act-form.js';
import { Failure } from '../../../parts/failures.js';
import { Moment } from '../../../parts/moment.js';
import { Cell, Rows } from '../../../parts/rows.js';
import { useRefetch } from './use-refetch.js';

type Channel = Schemas['ChannelResponse'];

/** Edits the headers whose values only the receiver sees. */
export function ProtectedHeaders({ channel }: { readonly channel: Channel }) {
  const refetch = useRefetch();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const which = { path: { channel_id: channel.id }, query: { project_id: channel.project_id } };
  const isKnown = channel.protected_headers.some((each) => each.name.toLowerCase() === name.trim().toLowerCase());
  const save = async () => {
    await (isKnown
      ? api.rotateProtectedHeader({ ...which, path: { ...which.path, header_name: name.trim() }, body: { value } })
      : api.createProtectedHeader({ ...which, body: { name: name.trim(), value } }));
    setName('');
    setValue('');
    await refetch();
  };
  const removing = useMutation({
    mutationFn: (header_name: string) => api.deleteProtectedHeader({ ...which, path: { ...which.path, header_name } }),
    onSuccess: refetch,
  });
  return (
    <Stack>
      <Text c="dimmed" size="sm">
        Values are encrypted and never shown again. {'{{secret:NAME}}'} in a value stands for a secret of the project.
      </Text>
      {channel.protected_headers.length > 0 && (
        <Rows label="Protected headers" columns={['Name', 'Value', 'Last changed', null]} minWidth={420}>
          {channel.protected_headers.map((header) => (
            <Table.Tr key={header.name}>
              <Cell column="Name" ff="monospace">
                {header.name}
              </Cell>
              <Cell column="Value">{header.masked_value}</Cell>
              <Cell column="Last changed">
                <Moment at={header.last_rotated_at} />
              </Cell>
              <Table.Td ta="end">
                <Group gap={4} wrap="nowrap" justify="flex-end">
                  <Button
                    size="xs"
                    variant="subtle"
                    onClick={() => setName(header.name)}
                    aria-label={`Rotate ${header.name}`}
                  >
                    Rotate
                  </Button>
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    loading={removing.isPending && removing.variables === header.name}
                    onClick={() => removing.mutate(header.name)}
                    aria-label={`Remove ${header.name}`}
                  >
                    Remove
                  </Button>
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Rows>
      )}
      <Failure error={removing.error} />
      <ActForm verb={isKnown ? 'Rotate it' : 'Add it'} act={save}>
        <TextInput
          label="Name"
          placeholder="Authorization"
          required
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label={isKnown ? 'New value' : 'Value'}
          autoComplete="off"
          required
          maxLength={2048}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
      </ActForm>
    </Stack>
  );
}
