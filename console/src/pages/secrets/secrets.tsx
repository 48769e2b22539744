import { Group, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { secrets } from '../../api/owning.js';
import { MANAGERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { Icon } from '../../parts/icons.js';
import { Listed } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Removal } from '../../parts/removal.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { useCurrentProject } from '../../shell/current-project.js';

type Secret = Schemas['SecretResponse'];

/** Shows the secrets of a project. A value that is typed here is sent once and never returned. */
export function SecretsPage() {
  const { project } = useCurrentProject();
  const query = useQuery(secrets(project.id));
  const refusal = useRefusal(project.id, MANAGERS);
  const [edited, setEdited] = useState<Secret | 'new' | null>(null);
  const close = () => setEdited(null);
  return (
    <Stack gap="lg">
      <PageHead
        title="Secrets"
        guide="secrets"
        about="Values for the headers and templates of deliveries. Nobody can read them again."
      >
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setEdited('new')}>
          New secret
        </Act>
      </PageHead>
      <Listed
        query={query}
        empty={
          <Empty
            title="No secret yet"
            about="Keep a receiver's token here once and name it in headers and templates as {{secret:NAME}}: it is replaced in one place, and never shown."
          />
        }
      >
        {(items) => (
          <Rows label="Secrets" columns={['Name', 'Version', 'Used by', 'Last used', 'Replaced', null]} minWidth={760}>
            {items.map((each) => (
              <SecretRow key={each.id} secret={each} refusal={refusal} onReplace={setEdited} />
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog
        title={edited === 'new' ? 'New secret' : 'Replace the secret'}
        guide="secrets#values"
        isOpen={edited !== null}
        onClose={close}
      >
        {edited !== null && <SecretForm secret={edited === 'new' ? null : edited} onDone={close} />}
      </Dialog>
    </Stack>
  );
}

function useSecretsRead(): () => Promise<void> {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: secrets(project.id).queryKey });
}

interface RowProps {
  readonly secret: Secret;
  readonly refusal: string | undefined;
  readonly onReplace: (secret: Secret) => void;
}

function SecretRow({ secret, refusal, onReplace }: RowProps) {
  const readAnew = useSecretsRead();
  const { id: secret_id, name, references } = secret;
  const remove = async () => {
    await api.deleteSecret({ path: { secret_id } });
    await readAnew();
  };
  return (
    <Table.Tr>
      <Cell column="Name">
        <Text size="sm" ff="monospace">
          {name}
        </Text>
        {secret.description !== null && (
          <Text size="xs" c="dimmed">
            {secret.description}
          </Text>
        )}
      </Cell>
      <Cell column="Version" className="numbers">
        {secret.version}
      </Cell>
      <Cell column="Used by">
        {references === 0 ? 'Nothing' : references === 1 ? '1 place' : `${references} places`}
      </Cell>
      <Cell column="Last used">{secret.last_used_at === null ? 'Never' : <Moment at={secret.last_used_at} />}</Cell>
      <Cell column="Replaced">
        <Moment at={secret.updated_at} />
      </Cell>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <Act
            refusal={refusal}
            size="xs"
            variant="subtle"
            aria-label={`Replace ${name}`}
            onAct={() => onReplace(secret)}
          >
            Replace
          </Act>
          <Removal verb="Delete" refusal={refusal} name={name} title="Delete the secret" act={remove}>
            The value of <b>{name}</b> is gone for good. A secret that a header or a template names cannot be deleted.
          </Removal>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

interface FormProps {
  /** Null: a new secret is created. */
  readonly secret: Secret | null;
  readonly onDone: () => void;
}

function SecretForm({ secret, onDone }: FormProps) {
  const { project } = useCurrentProject();
  const readAnew = useSecretsRead();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [description, setDescription] = useState(secret?.description ?? '');
  const save = async () => {
    const body = { value, description: description.trim() === '' ? null : description.trim() };
    await (secret === null
      ? api.createSecret({ body: { ...body, project_id: project.id, name } })
      : api.replaceSecret({ path: { secret_id: secret.id }, body }));
    setValue('');
    await readAnew();
  };
  return (
    <ActForm verb={secret === null ? 'Keep the secret' : 'Replace the value'} act={save} onDone={onDone}>
      {secret === null ? (
        <TextInput
          label="Name"
          description="Capital letters, digits and _; it never changes"
          placeholder="PAYMENTS_TOKEN"
          required
          withAsterisk={false}
          data-autofocus
          autoComplete="off"
          pattern="[A-Z][A-Z0-9_]*"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      ) : (
        <Text size="sm">
          The value of <b>{secret.name}</b> is gone at once: what is sent from now on carries the new one.
        </Text>
      )}
      <Textarea
        label="Value"
        description="Kept as it is, and never shown again"
        required
        withAsterisk={false}
        autoComplete="off"
        spellCheck={false}
        autosize
        minRows={2}
        maxRows={8}
        data-autofocus={secret !== null || undefined}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
      <TextInput
        label="Purpose"
        maxLength={500}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </ActForm>
  );
}
