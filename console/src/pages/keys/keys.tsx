import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { apiKeys } from '../../api/queries.js';
import { MANAGERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { Dialog } from '../../parts/dialog.js';
import { Icon } from '../../parts/icons.js';
import { KeyRows } from '../../parts/key-rows.js';
import { Listed } from '../../parts/listed.js';
import { MakeKey } from '../../parts/make-key.js';
import { useOpenForm } from '../../parts/open-form.js';
import { PageHead } from '../../parts/page-head.js';
import { Empty } from '../../parts/rows.js';
import { useCurrentProject } from '../../shell/current-project.js';

export function KeysPage() {
  const { project } = useCurrentProject();
  const query = useQuery(apiKeys(project.id));
  const refusal = useRefusal(project.id, MANAGERS);
  const [isMaking, setIsMaking] = useOpenForm('key');
  const make = async (name: string) => (await api.createApiKey({ body: { project_id: project.id, name } })).key;
  const close = () => setIsMaking(false);
  return (
    <Stack gap="lg">
      <PageHead
        title="API keys"
        guide="keys-and-sources#keys"
        about="Programs send events into this project with these keys."
      >
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setIsMaking(true)}>
          New key
        </Act>
      </PageHead>
      <Listed
        query={query}
        empty={
          <Empty
            title="No key yet"
            about="Give each program its own key: then one can be revoked without the others."
          />
        }
      >
        {(keys) => <KeyRows label="API keys" keys={keys} refusal={refusal} />}
      </Listed>
      <Dialog title="New key" guide="keys-and-sources#keys" isOpen={isMaking} onClose={close}>
        <MakeKey make={make} onDone={close} />
      </Dialog>
    </Stack>
  );
}
