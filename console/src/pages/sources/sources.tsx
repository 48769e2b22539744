import { Badge, Select, Stack, Table, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { sourceCatalog, sources } from '../../api/owning.js';
import { MANAGERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { Icon } from '../../parts/icons.js';
import { LinkAnchor } from '../../parts/links.js';
import { Listed } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { useCurrentProject } from '../../shell/current-project.js';

export function SourcesPage() {
  const { organization, project } = useCurrentProject();
  const query = useQuery(sources(project.id));
  const refusal = useRefusal(project.id, MANAGERS);
  const [isMaking, setIsMaking] = useState(false);
  const params = { organization: organization.slug, project: project.slug };
  return (
    <Stack gap="lg">
      <PageHead
        title="Sources"
        guide="keys-and-sources#sources"
        about="What sends events, each with keys, health and figures of its own."
      >
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setIsMaking(true)}>
          New source
        </Act>
      </PageHead>
      <Listed
        query={query}
        empty={
          <Empty
            title="No source yet"
            about="Make one for each program or site that sends. You see then which of them is quiet or refused, and can switch one off alone."
          />
        }
      >
        {(items) => (
          <Rows label="Sources" columns={['Name', 'Kind', 'Last event', 'State']}>
            {items.map(({ id, name, type, last_event_at, is_enabled }) => (
              <Table.Tr key={id}>
                <Cell column="Name">
                  <LinkAnchor
                    to="/o/$organization/p/$project/sources/$source"
                    params={{ ...params, source: id }}
                    size="sm"
                    underline="always"
                  >
                    {name}
                  </LinkAnchor>
                </Cell>
                <Cell column="Kind">{type}</Cell>
                <Cell column="Last event">{last_event_at === null ? 'None yet' : <Moment at={last_event_at} />}</Cell>
                <Cell column="State">
                  <Badge variant="light" color={is_enabled ? 'sea' : 'gray'}>
                    {is_enabled ? 'On' : 'Off'}
                  </Badge>
                </Cell>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog
        title="New source"
        guide="keys-and-sources#sources"
        isOpen={isMaking}
        onClose={() => setIsMaking(false)}
        size="lg"
      >
        <MakeSource />
      </Dialog>
    </Stack>
  );
}

type Made = Schemas['CreatedEventSourceResponse'];

function MakeSource() {
  const { organization, project } = useCurrentProject();
  const { data: catalog } = useQuery(sourceCatalog);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [type, setType] = useState<Schemas['EventSourceType']>('http');
  const [made, setMade] = useState<Made | null>(null);
  const make = async () => {
    setMade(await api.createIngestSource({ body: { project_id: project.id, name: name.trim(), type } }));
    await queries.invalidateQueries({ queryKey: sources(project.id).queryKey });
  };
  if (made !== null) {
    const params = { organization: organization.slug, project: project.slug, source: made.id };
    return (
      <ShownOnce
        name="the key"
        text={made.key.key}
        advice="It is the first key of the source. Keep it where the program finds it and nobody else does."
        onKept={() => void navigate({ to: '/o/$organization/p/$project/sources/$source', params })}
      />
    );
  }
  const kind = catalog?.find((each) => each.type === type);
  return (
    <ActForm verb="Make the source" act={make}>
      <TextInput
        label="Name"
        placeholder="Checkout service"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Kind"
        description={kind?.description}
        data={(catalog ?? []).map((each) => ({ value: each.type, label: each.name }))}
        value={type}
        allowDeselect={false}
        onChange={(value) => value !== null && setType(value)}
      />
    </ActForm>
  );
}
