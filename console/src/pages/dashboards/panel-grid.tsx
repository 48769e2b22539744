import 'react-grid-layout/css/styles.css';
import { useElementSize } from '@mantine/hooks';
import { GridLayout, type Layout } from 'react-grid-layout';
import type { ReactNode } from 'react';
import type { Panel } from './content.js';
import { COLUMNS, GAP_PX, ROW_PX } from './layout.js';

interface Props {
  readonly panels: readonly Panel[];
  readonly isEditing: boolean;
  readonly onArrange: (panels: readonly Panel[]) => void;
  readonly children: (panel: Panel) => ReactNode;
}

/** A grid. While it is edited, panels are dragged by their handle, and sized by their corner. */
export function PanelGrid({ panels, isEditing, onArrange, children }: Props) {
  const { ref, width } = useElementSize();
  const arrange = (layout: Layout) =>
    onArrange(
      panels.map((panel) => {
        const place = layout.find(({ i }) => i === panel.id);
        return place === undefined ? panel : { ...panel, layout: { x: place.x, y: place.y, w: place.w, h: place.h } };
      }),
    );
  return (
    <div ref={ref}>
      {/* The library would add a style element here, which the policy of the page forbids. Its id keeps it away. */}
      <span id="react-draggable-style-el" hidden />
      {width > 0 && (
        <GridLayout
          width={width}
          layout={panels.map(({ id, layout }) => ({ i: id, ...layout, minW: 2, minH: 3, maxH: 30 }))}
          gridConfig={{ cols: COLUMNS, rowHeight: ROW_PX, margin: [GAP_PX, GAP_PX], containerPadding: [0, 0] }}
          dragConfig={{ enabled: isEditing, handle: '.panel-handle' }}
          resizeConfig={{ enabled: isEditing }}
          onDragStop={arrange}
          onResizeStop={arrange}
        >
          {panels.map((panel) => (
            <div key={panel.id}>{children(panel)}</div>
          ))}
        </GridLayout>
      )}
    </div>
  );
}
