/** A drawing of boxes and lines that can be moved and zoomed. Whoever shows it also shows a list of the same. */
import { useComputedColorScheme } from '@mantine/core';
import {
  Background,
  Controls,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type Node,
  type NodeProps,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useEffect, useMemo, type ReactNode } from 'react';
import { useText } from '../i18n/text.js';
import { Waiting } from '../shell/page-states.js';
import type { Box, Line } from './layout.js';
import { usePositions } from './use-positions.js';
import './graph.css';

export interface DrawnBox extends Box {
  readonly content: ReactNode;
}

export interface DrawnLine extends Line {
  readonly id: string;
  readonly label: string;
  readonly isMarked?: boolean;
}

interface GraphCanvasProps {
  /** What it is a drawing of. */
  readonly label: string;
  readonly boxes: readonly DrawnBox[];
  readonly lines: readonly DrawnLine[];
}

type BoxNode = Node<{ content: ReactNode }, 'box'>;

const NODE_TYPES = { box: BoxContent };
const EVERYTHING = { maxZoom: 1, padding: 0.05 };
/** Below it, texts can hardly be read. */
const SMALLEST_READABLE = 0.45;
/** Characters of the name of a line. */
const MOST_OF_NAME = 24;
const SMALLEST_ZOOM = 0.02;

export function GraphCanvas(props: GraphCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas({ label, boxes, lines }: GraphCanvasProps) {
  const text = useText();
  const scheme = useComputedColorScheme('light');
  const { fitView } = useReactFlow();
  // Placed again only if boxes or lines are others, not if their contents are.
  const shape = JSON.stringify({
    boxes: boxes.map(({ id, width, height }) => ({ id, width, height })),
    lines: lines.map(({ source, target }) => ({ source, target })),
  });
  const drawing = useMemo(() => JSON.parse(shape) as { boxes: Box[]; lines: Line[] }, [shape]);
  const placed = usePositions(drawing);
  const positions = placed?.positions;
  const nodes = useMemo(
    () =>
      boxes.flatMap(({ id, width, height, content }): BoxNode[] => {
        const position = positions?.[id];
        return position ? [{ id, type: 'box', position, width, height, data: { content } }] : [];
      }),
    [boxes, positions],
  );
  const edges = useMemo(
    () =>
      lines.map(({ id, source, target, label: name, isMarked = false }): Edge => ({
        id,
        source,
        target,
        label: shortened(name),
        className: isMarked ? 'graph-marked' : '',
        markerEnd: { type: MarkerType.ArrowClosed },
      })),
    [lines],
  );
  useEffect(() => {
    if (positions) void fitView({ ...EVERYTHING, minZoom: SMALLEST_READABLE });
  }, [fitView, positions]);
  if (!positions) return <Waiting />;
  return (
    <div className="graph-canvas">
      <ReactFlow
        aria-label={label}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        colorMode={scheme}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        onlyRenderVisibleElements
        minZoom={SMALLEST_ZOOM}
        fitView
        fitViewOptions={{ ...EVERYTHING, minZoom: SMALLEST_READABLE }}
        ariaLabelConfig={{
          'controls.ariaLabel': text('graph.controls'),
          'controls.zoomIn.ariaLabel': text('graph.zoom_in'),
          'controls.zoomOut.ariaLabel': text('graph.zoom_out'),
          'controls.fitView.ariaLabel': text('graph.fit'),
        }}
      >
        <Background />
        <Controls showInteractive={false} fitViewOptions={EVERYTHING} />
      </ReactFlow>
    </div>
  );
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length > MOST_OF_NAME ? `${characters.slice(0, MOST_OF_NAME).join('')}…` : name;
}

function BoxContent({ data }: NodeProps<BoxNode>) {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {data.content}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}
