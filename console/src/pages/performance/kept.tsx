import { useNavigate } from '@tanstack/react-router';
import { given } from '../../api/insight.js';
import { type PerformanceSearch, performanceSearch } from '../../routes/insight.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { PinToDashboard } from '../dashboards/pin.js';
import { SavedViews } from '../views/saved-views.js';
import { subjectOf } from './part-props.js';

const LISTS = { names: 'Routes and endpoints', slowest: 'Slowest requests', failures: 'Failures' } as const;

/** Saves what the page shows, and pins it to a dashboard. */
export function Kept({ search }: { readonly search: PerformanceSearch }) {
  const { organization, project } = useCurrentProject();
  const navigate = useNavigate();
  // Without the time range, which is that of the project.
  const own = performanceSearch({ ...search, shown: undefined, page: undefined });
  const subject = subjectOf(own);
  const list = subject === undefined ? (own.list ?? 'names') : 'failures';
  const pinned = (part: 'charts' | 'figures' | keyof typeof LISTS, label: string) =>
    ({ label, question: { kind: 'performance', part, search: own } }) as const;
  const name = [subject?.method, subject?.name].filter(Boolean).join(' ');
  return (
    <>
      <SavedViews
        kind="performance"
        filters={given(own)}
        onApply={(kept) =>
          void navigate({
            to: '/o/$organization/p/$project/performance',
            params: { organization: organization.slug, project: project.slug },
            search: performanceSearch(kept),
          })
        }
      />
      <PinToDashboard
        key={JSON.stringify(own)}
        choices={[pinned('charts', 'Charts'), pinned('figures', 'Figures'), pinned(list, LISTS[list])]}
        title={name === '' ? 'Performance' : name}
      />
    </>
  );
}
