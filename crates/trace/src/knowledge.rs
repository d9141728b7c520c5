//! What each event knows of every node: vector clocks that share whatever they have in common.
//!
//! A vector is a tree of small blocks. A receive copies only the blocks in which it learns
//! something; every other event shares the tree of the event before it. So the memory grows with
//! what is learnt, not with events times nodes.

/// How many entries a block has.
const WIDTH: usize = 16;
/// The block in which nothing is known, at every height.
const NOTHING: u32 = 0;
/// The most blocks: 256 MB.
pub const MOST_BLOCKS: usize = 4_000_000;

type VectorBlock = [u32; WIDTH];

/// The vectors of all events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    blocks: Vec<VectorBlock>,
    /// For each event the root of its vector, in which its own node may lag behind.
    roots: Vec<u32>,
    /// How many levels a tree has.
    height: u32,
}

impl Knowledge {
    /// Nothing is known of any of these nodes by any of these events.
    pub fn new(events: usize, nodes: usize) -> Knowledge {
        let mut height = 1;
        while WIDTH.pow(height) < nodes {
            height += 1;
        }
        Knowledge { blocks: vec![[NOTHING; WIDTH]], roots: vec![NOTHING; events], height }
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// How many events of a node an event knows. Of its own node it may know more.
    #[inline]
    pub fn of(&self, event: u32, node: u32) -> u32 {
        let mut block = self.roots[event as usize];
        let mut level = self.height;
        while level > 0 && block != NOTHING {
            level -= 1;
            block = self.blocks[block as usize][place(node, level)];
        }
        block
    }

    /// An event learns what the event before it at its node knew, and what each sender knew: the
    /// send, its node, and its place at that node. Returns whether there is memory left.
    pub fn learn(&mut self, event: u32, previous: Option<u32>, sends: impl Iterator<Item = (u32, u32, u32)>) -> bool {
        let fresh = self.blocks.len() as u32;
        let mut root = previous.map_or(NOTHING, |previous| self.roots[previous as usize]);
        for (send, node, count) in sends {
            root = self.merge(root, self.roots[send as usize], self.height, fresh);
            root = self.raise(root, node, count, self.height, fresh);
        }
        self.roots[event as usize] = root;
        self.blocks.len() <= MOST_BLOCKS
    }

    /// The larger entries of two trees. Blocks from `fresh` on belong to the event that is learning
    /// and may be changed.
    fn merge(&mut self, mine: u32, other: u32, level: u32, fresh: u32) -> u32 {
        if mine == other || other == NOTHING {
            return mine;
        }
        if mine == NOTHING {
            return other;
        }
        if level == 0 {
            return mine.max(other);
        }
        let (before, theirs) = (self.blocks[mine as usize], self.blocks[other as usize]);
        let mut merged = before;
        for (at, entry) in merged.iter_mut().enumerate() {
            *entry = self.merge(*entry, theirs[at], level - 1, fresh);
        }
        match () {
            () if merged == before => mine,
            () if merged == theirs => other,
            () => self.write(mine, merged, fresh),
        }
    }

    /// Raises the entry of a node.
    fn raise(&mut self, block: u32, node: u32, count: u32, level: u32, fresh: u32) -> u32 {
        if level == 0 {
            return block.max(count);
        }
        let mut changed = self.blocks[block as usize];
        let at = place(node, level - 1);
        let entry = self.raise(changed[at], node, count, level - 1, fresh);
        if entry == changed[at] {
            return block;
        }
        changed[at] = entry;
        self.write(block, changed, fresh)
    }

    fn write(&mut self, block: u32, content: VectorBlock, fresh: u32) -> u32 {
        if block >= fresh && block != NOTHING {
            self.blocks[block as usize] = content;
            return block;
        }
        self.blocks.push(content);
        self.blocks.len() as u32 - 1
    }
}

/// The entry that leads to a node, in a block whose children have this many levels.
fn place(node: u32, level: u32) -> usize {
    (node as usize / WIDTH.pow(level)) % WIDTH
}
