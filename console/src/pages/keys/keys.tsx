import { Alert, Badge, Button, Card, Group, Modal, Stack, Table, Text, TextInput, Title, Tooltip } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { api } from '../../api/client.js';
import { apiKeys, ownMembership } from '../../api/queries.js';
import { Copied } from '../../parts/copied.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { Moment } from '../../parts/moment.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';

type ApiKey = Schemas['ApiKeyResponse'];

/** The roles that may make and revoke keys. */
const MAY_MANAGE: readonly string[] = ['owner', 'admin'];

export function KeysPage() {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(apiKeys(project.id));
  const { data: membership } = useQuery(ownMembership(project.id));
  const mayManage = membership !== undefined && MAY_MANAGE.includes(membership.role);
  const [isMaking, setIsMaking] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={1} size="h2">
            API keys
          </Title>
          <Text c="dimmed">By them programs send events into this project.</Text>
        </div>
        <Tooltip label="Your role may not make keys" disabled={mayManage || membership === undefined}>
          <Button
            leftSection={<Icon name="plus" size={16} />}
            data-disabled={!mayManage || undefined}
            aria-disabled={!mayManage}
            onClick={() => {
              if (mayManage) setIsMaking(true);
            }}
          >
            New key
          </Button>
        </Tooltip>
      </Group>
      <Failure error={error} />
      {data === undefined && error === null && <PendingPage />}
      {data?.length === 0 && (
        <Card withBorder padding="xl">
          <Text fw={600}>No key yet</Text>
          <Text c="dimmed">Give each program a key of its own: then one can be revoked without the others.</Text>
        </Card>
      )}
      {data !== undefined && data.length > 0 && <KeyTable keys={data} mayManage={mayManage} onRevoke={setRevoked} />}
      <Modal
        opened={isMaking}
        onClose={() => setIsMaking(false)}
        title="New key"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <MakeKey projectId={project.id} onDone={() => setIsMaking(false)} />
      </Modal>
      <Modal
        opened={revoked !== null}
        onClose={() => setRevoked(null)}
        title="Revoke the key"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {revoked !== null && <RevokeKey apiKey={revoked} onDone={() => setRevoked(null)} />}
      </Modal>
    </Stack>
  );
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly mayManage: boolean;
  readonly onRevoke: (key: ApiKey) => void;
}

function KeyTable({ keys, mayManage, onRevoke }: KeyTableProps) {
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer
        minWidth={560}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'API keys', role: 'region' } }}
      >
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Begins with</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th aria-label="Acts" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => (
              <Table.Tr key={key.id}>
                <Table.Td>{key.name}</Table.Td>
                <Table.Td ff="monospace">{key.prefix}…</Table.Td>
                <Table.Td>{key.last_used_at === null ? 'Never' : <Moment at={key.last_used_at} />}</Table.Td>
                <Table.Td>
                  <Badge variant="light" color={key.status === 'active' ? 'sea' : 'gray'}>
                    {key.status}
                  </Badge>
                </Table.Td>
                <Table.Td ta="end">
                  {mayManage && key.status === 'active' && (
                    <Button
                      size="xs"
                      variant="subtle"
                      color="red"
                      onClick={() => onRevoke(key)}
                      aria-label={`Revoke ${key.name}`}
                    >
                      Revoke
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function MakeKey({ projectId, onDone }: { readonly projectId: string; readonly onDone: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const making = useMutation({
    mutationFn: () => api.createApiKey({ body: { project_id: projectId, name: name.trim() } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: apiKeys(projectId).queryKey }),
    gcTime: 0,
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    making.mutate();
  };
  if (making.data !== undefined) {
    return (
      <Stack>
        <Alert variant="light" title="It is shown this once">
          Keep it where your program finds it and nobody else does.
        </Alert>
        <Copied name="the key" text={making.data.key} />
        <Button onClick={onDone}>I have kept it</Button>
      </Stack>
    );
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="The program that will use it"
          placeholder="Web server"
          required
          data-autofocus
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Failure error={making.error} />
        <Button type="submit" loading={making.isPending}>
          Make the key
        </Button>
      </Stack>
    </form>
  );
}

function RevokeKey({ apiKey, onDone }: { readonly apiKey: ApiKey; readonly onDone: () => void }) {
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => api.revokeApiKey({ path: { key_id: apiKey.id } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: apiKeys(apiKey.project_id).queryKey });
      onDone();
    },
  });
  return (
    <Stack>
      <Text>
        Programs that use <b>{apiKey.name}</b> are refused at once. This cannot be taken back.
      </Text>
      <Failure error={revoking.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Keep it
        </Button>
        <Button color="red" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          Revoke
        </Button>
      </Group>
    </Stack>
  );
}
