import { Group, PasswordInput, Select, Stack, Table, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { destinations } from '../../api/delivery.js';
import { OPERATORS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Confirmation, Dialog } from '../../parts/dialog.js';
import { Icon } from '../../parts/icons.js';
import { LinkAnchor } from '../../parts/links.js';
import { Listed } from '../../parts/listed.js';
import { PageHead } from '../../parts/page-head.js';
import { Empty, Rows } from '../../parts/rows.js';
import { Switched } from '../../parts/switched.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { BodyTemplateFields, choiceOf, isComplete, templateOf } from './body-template.js';
import { TestForm } from './test-form.js';

type Destination = Schemas['DestinationResponse'];

const TYPES = [
  { value: 'webhook', label: 'Webhook' },
  { value: 'slack', label: 'Slack' },
];

/** Returns a function that refetches the list after an action. */
function useReadAnew(): () => Promise<void> {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: destinations(project.id).queryKey });
}

export function DestinationsPage() {
  const { organization, project } = useCurrentProject();
  const { data, error } = useQuery(destinations(project.id));
  const refusal = useRefusal(project.id, OPERATORS);
  const readAnew = useReadAnew();
  const [edited, setEdited] = useState<Destination | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Destination | null>(null);
  const [tested, setTested] = useState<Destination | null>(null);
  const toggle = async ({ id }: Destination, isOn: boolean) => {
    const path = { destination_id: id };
    await (isOn ? api.enableAlertDestination({ path }) : api.disableAlertDestination({ path }));
    await readAnew();
  };
  return (
    <Stack gap="lg">
      <PageHead title="Destinations" about="Where alerts are told: a webhook of yours, or a channel of Slack.">
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setEdited('new')}>
          New destination
        </Act>
      </PageHead>
      <Listed
        asked={{ data, error }}
        empty={
          <Empty
            title="Nobody is told yet"
            about="Alerts of rules that name nobody go to every webhook here. A test shows at once whether it arrives."
          />
        }
      >
        {(items) => (
          <Rows label="Destinations" columns={['Name', 'Type', 'Address', 'Signed', 'On', null]} minWidth={860}>
            {items.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td>
                  <LinkAnchor
                    to="/o/$organization/p/$project/alert-deliveries"
                    params={{ organization: organization.slug, project: project.slug }}
                    search={{ destination: one.id }}
                    fw={600}
                    size="sm"
                  >
                    {one.name}
                  </LinkAnchor>
                </Table.Td>
                <Table.Td>{one.type === 'slack' ? 'Slack' : 'Webhook'}</Table.Td>
                <Table.Td ff="monospace" fz="xs" style={{ overflowWrap: 'anywhere' }}>
                  {one.target_url}
                </Table.Td>
                <Table.Td>{one.has_secret ? 'Yes' : 'No'}</Table.Td>
                <Table.Td>
                  <Switched
                    label={`${one.name} is on`}
                    isOn={one.is_enabled}
                    refusal={refusal}
                    act={(isOn) => toggle(one, isOn)}
                  />
                </Table.Td>
                <Table.Td ta="end">
                  <Group gap={4} wrap="nowrap" justify="flex-end">
                    <Act
                      refusal={refusal}
                      size="xs"
                      variant="subtle"
                      onAct={() => setTested(one)}
                      aria-label={`Test ${one.name}`}
                    >
                      Test
                    </Act>
                    <Act
                      refusal={refusal}
                      size="xs"
                      variant="subtle"
                      onAct={() => setEdited(one)}
                      aria-label={`Change ${one.name}`}
                    >
                      Change
                    </Act>
                    <Act
                      refusal={refusal}
                      size="xs"
                      variant="subtle"
                      color="red"
                      onAct={() => setDeleted(one)}
                      aria-label={`Delete ${one.name}`}
                    >
                      Delete
                    </Act>
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog
        title={edited === 'new' ? 'New destination' : 'Change the destination'}
        isOpen={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited !== null && (
          <DestinationForm
            projectId={project.id}
            destination={edited === 'new' ? null : edited}
            onDone={() => setEdited(null)}
          />
        )}
      </Dialog>
      <Dialog title="Send a test" isOpen={tested !== null} onClose={() => setTested(null)}>
        {tested !== null && <TestDestination destination={tested} />}
      </Dialog>
      <Dialog title="Delete the destination" isOpen={deleted !== null} onClose={() => setDeleted(null)}>
        {deleted !== null && (
          <Confirmation
            verb="Delete"
            isDangerous
            act={async () => {
              await api.deleteAlertDestination({ path: { destination_id: deleted.id } });
              await readAnew();
            }}
            onClose={() => setDeleted(null)}
          >
            <b>{deleted.name}</b> is told nothing any more, and what waits for it fails. Rules that name nobody else
            tell nobody then. This cannot be taken back.
          </Confirmation>
        )}
      </Dialog>
    </Stack>
  );
}

interface FormProps {
  readonly projectId: string;
  /** Null for a new destination. */
  readonly destination: Destination | null;
  readonly onDone: () => void;
}

function DestinationForm({ projectId, destination, onDone }: FormProps) {
  const readAnew = useReadAnew();
  const [type, setType] = useState<Destination['type']>(destination?.type ?? 'webhook');
  const [name, setName] = useState(destination?.name ?? '');
  const [url, setUrl] = useState(destination?.target_url ?? '');
  const [secret, setSecret] = useState('');
  const [template, setTemplate] = useState(choiceOf(destination?.template));
  const save = async () => {
    const body = {
      type,
      name: name.trim(),
      target_url: url.trim(),
      template: type === 'webhook' ? templateOf(template) : null,
      // A secret that is not entered stays as it is.
      ...(secret !== '' && { secret }),
    };
    await (destination === null
      ? api.createAlertDestination({ body: { ...body, project_id: projectId } })
      : api.updateAlertDestination({ path: { destination_id: destination.id }, body }));
    await readAnew();
  };
  return (
    <ActForm
      verb={destination === null ? 'Make the destination' : 'Save'}
      isDisabled={type === 'webhook' && !isComplete(template)}
      act={save}
      onDone={onDone}
    >
      <Select
        label="Type"
        data={TYPES}
        allowDeselect={false}
        value={type}
        onChange={(value) => setType(value as Destination['type'])}
      />
      <TextInput
        label="Name"
        placeholder={type === 'slack' ? '#incidents' : 'Pager'}
        required
        data-autofocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Address"
        description={
          type === 'slack'
            ? 'The incoming webhook that Slack gave you; it is kept encrypted'
            : 'It gets a POST with JSON'
        }
        placeholder={type === 'slack' ? 'https://hooks.slack.com/services/…' : 'https://example.com/alerts'}
        type="url"
        required
        maxLength={2083}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      {type === 'webhook' && <BodyTemplateFields choice={template} onChange={setTemplate} />}
      {type === 'webhook' && (
        <PasswordInput
          label="Secret"
          description={
            destination?.has_secret === true
              ? 'Left empty it stays. After a change the old one signs beside the new one for a day'
              : 'Signs what is sent, so that the receiver knows it from a forgery'
          }
          autoComplete="off"
          maxLength={500}
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
      )}
    </ActForm>
  );
}

function TestDestination({ destination: { id, name } }: { readonly destination: Destination }) {
  return (
    <TestForm send={() => api.testAlertDestination({ path: { destination_id: id } })} failure="It was not taken">
      A signed test goes to <b>{name}</b>, enabled or not. It is tried once, for up to ten seconds.
    </TestForm>
  );
}
