import { FileInput, Stack, Table, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createDashboard, nameOfCopy, savedViewsOf, showDashboard } from '../../api/dashboards.js';
import { allSavedViews } from '../../api/insight.js';
import { MEMBERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { Icon } from '../../parts/icons.js';
import { LinkAnchor, LinkButton } from '../../parts/links.js';
import { Listed } from '../../parts/listed.js';
import { Ago } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { type Content, contentOf, EMPTY, filtersOfContent } from './content.js';
import { imported } from './transfer.js';

/** Lists the dashboards of the project. */
export function DashboardsPage() {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const query = useQuery(savedViewsOf(project.id, 'dashboard'));
  const refusal = useRefusal(project.id, MEMBERS);
  const [open, setOpen] = useState<'new' | 'import' | null>(null);
  const close = () => setOpen(null);
  return (
    <Stack gap="lg">
      <PageHead title="Dashboards" guide="dashboards" about="Questions that belong together, in one time range.">
        <Act variant="default" refusal={refusal} onAct={() => setOpen('import')}>
          Import
        </Act>
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setOpen('new')}>
          New dashboard
        </Act>
      </PageHead>
      <Listed
        query={query}
        empty={
          <Empty
            title="No dashboard yet"
            about="Choose what to count in Analytics, then press “Pin to dashboard” there. Query, Performance and Logs have this button, too."
          >
            <LinkButton variant="default" to="/o/$organization/p/$project/analytics" params={params}>
              Open Analytics
            </LinkButton>
          </Empty>
        }
      >
        {(items) => (
          <Rows label="Dashboards" columns={['Name', 'Panels', 'Changed']}>
            {items.map(({ id, name, filters, updated_at }) => (
              <Table.Tr key={id}>
                <Cell column="Name" style={{ overflowWrap: 'anywhere' }}>
                  <LinkAnchor
                    to="/o/$organization/p/$project/dashboards/$dashboard"
                    params={{ ...params, dashboard: id }}
                    fw={600}
                  >
                    {name}
                  </LinkAnchor>
                </Cell>
                <Cell column="Panels" className="numbers">
                  {contentOf(filters).panels.length}
                </Cell>
                <Cell column="Changed">
                  <Ago at={updated_at} />
                </Cell>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog title="New dashboard" isOpen={open === 'new'} onClose={close}>
        <NewDashboard />
      </Dialog>
      <Dialog title="Import a dashboard" isOpen={open === 'import'} onClose={close}>
        <ImportDashboard />
      </Dialog>
    </Stack>
  );
}

/** Returns a function that creates a dashboard and opens it. */
function useCreate(): (name: string, content: Content) => Promise<void> {
  const { organization, project } = useCurrentProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (name, content) => {
    const made = await createDashboard(project.id, name, filtersOfContent(content));
    await showDashboard(queries, made);
    await navigate({
      to: '/o/$organization/p/$project/dashboards/$dashboard',
      params: { organization: organization.slug, project: project.slug, dashboard: made.id },
    });
  };
}

function NewDashboard() {
  const create = useCreate();
  const [name, setName] = useState('');
  return (
    <ActForm verb="Make the dashboard" act={() => create(name.trim(), EMPTY)}>
      <TextInput
        label="Name"
        description="Everybody in the project sees it"
        placeholder="Checkout health"
        required
        data-autofocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ActForm>
  );
}

function ImportDashboard() {
  const { project } = useCurrentProject();
  const { data: known } = useQuery(allSavedViews(project.id));
  const create = useCreate();
  const [file, setFile] = useState<File | null>(null);
  const read = async () => {
    if (file === null) return;
    const { name, content } = await imported(file);
    const isTaken = known?.some((each) => each.name === name) === true;
    await create(isTaken ? await nameOfCopy(project.id, name) : name, content);
  };
  return (
    <ActForm verb="Import" isDisabled={file === null} act={read}>
      <FileInput
        label="File"
        description="A dashboard that was exported as JSON"
        placeholder="Choose a file"
        accept="application/json,.json"
        value={file}
        onChange={setFile}
      />
    </ActForm>
  );
}
