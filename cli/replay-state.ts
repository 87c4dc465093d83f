// What changed in a session's state from one look to the next.
import type { Item, SessionState } from './api.js'

export interface Captured {
  type: 'captured'
  kind: 'goal' | 'constraint' | 'decision' | 'task' | 'openItem' | 'learning'
  text: string
  source: Item['source'] | null
}

export interface Settled {
  type: 'settled'
  kind: Captured['kind']
  text: string
  status: 'superseded' | 'resolved'
  /** The words or the item that replaced or settled it, where they say more than the item itself. */
  by: string | null
}

export class StateWatch {
  private status = new Map<string, Item['status']>()
  private goal: string | null = null

  /** Another conversation begins. */
  forget(): void {
    this.status = new Map()
    this.goal = null
  }

  /** What is new since the last call. */
  *changes(state: SessionState): Generator<Captured | Settled> {
    if (state.goal !== this.goal && state.goal !== null) yield { type: 'captured', kind: 'goal', text: state.goal, source: null }
    this.goal = state.goal
    const lists: [Captured['kind'], Item[]][] = [
      ['constraint', state.constraints], ['decision', state.decisions], ['task', state.tasks], ['openItem', state.openItems], ['learning', state.learnings],
    ]
    for (const [kind, items] of lists) {
      const texts = new Map(items.map((item) => [item.id, item.text]))
      for (const { id, text, source, status, by } of items) {
        const before = this.status.get(id)
        // Said and settled between two looks: the second line alone says it all.
        if (before === undefined && status === 'active') yield { type: 'captured', kind, text, source }
        if (status !== 'active' && before !== status) {
          const other = by === undefined ? text : (texts.get(by) ?? by)
          yield { type: 'settled', kind, text, status, by: other === text ? null : other }
        }
        this.status.set(id, status)
      }
    }
  }
}
