//! The parts of a packet: in which order they stand, what they are called, how much an item of each is worth.

/// A part of the packet that holds items. The order is the order in the packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Constraints,
    Decisions,
    Blocked,
    Tasks,
    OpenItems,
    Errors,
    FilesModified,
    FilesRead,
    Agents,
    Learnings,
    Done,
    Thread,
    Tools,
}

/// How the items of a section stand in the packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A heading and one bullet for each.
    Bullets,
    /// All in one line after the heading, with this between them.
    Joined(&'static str),
}

impl Section {
    pub(super) const ALL: [Self; 13] = [
        Self::Constraints,
        Self::Decisions,
        Self::Blocked,
        Self::Tasks,
        Self::OpenItems,
        Self::Errors,
        Self::FilesModified,
        Self::FilesRead,
        Self::Agents,
        Self::Learnings,
        Self::Done,
        Self::Thread,
        Self::Tools,
    ];

    /// Key in `Packet::omitted`.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Constraints => "constraints",
            Self::Decisions => "decisions",
            Self::Blocked | Self::Tasks => "tasks",
            Self::OpenItems => "open_items",
            Self::Errors => "errors",
            Self::FilesModified => "files_modified",
            Self::FilesRead => "files_read",
            Self::Agents => "agents",
            Self::Learnings => "learnings",
            Self::Done => "done",
            Self::Thread => "key_exchanges",
            Self::Tools => "tools_used",
        }
    }

    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Constraints => "Constraints:",
            Self::Decisions => "Decisions (newest last):",
            Self::Blocked => "Blocked:",
            Self::Tasks => "Unfinished tasks:",
            Self::OpenItems => "Open items:",
            Self::Errors => "Last failures:",
            Self::FilesModified => "Files modified:",
            Self::FilesRead => "Files read:",
            Self::Agents => "Running agents:",
            Self::Learnings => "Learnings:",
            Self::Done => "Done:",
            Self::Thread => "Earlier in the conversation:",
            Self::Tools => "Tools used:",
        }
    }

    /// What the line about left-out items calls so many of them.
    pub(super) fn noun(self, count: u64) -> &'static str {
        let (one, many) = match self {
            Self::Constraints => ("constraint", "constraints"),
            Self::Decisions => ("decision", "decisions"),
            Self::Blocked => ("blocked task", "blocked tasks"),
            Self::Tasks => ("unfinished task", "unfinished tasks"),
            Self::OpenItems => ("open item", "open items"),
            Self::Errors => ("failure", "failures"),
            Self::FilesModified => ("file modified", "files modified"),
            Self::FilesRead => ("file read", "files read"),
            Self::Agents => ("running agent", "running agents"),
            Self::Learnings => ("learning", "learnings"),
            Self::Done => ("finished task", "finished tasks"),
            Self::Thread => ("exchange", "exchanges"),
            Self::Tools => ("tool", "tools"),
        };
        if count == 1 { one } else { many }
    }

    pub(super) fn shape(self) -> Shape {
        match self {
            Self::FilesModified | Self::FilesRead | Self::Tools => Shape::Joined(", "),
            Self::Done => Shape::Joined("; "),
            _ => Shape::Bullets,
        }
    }

    /// Names of files.
    pub(super) fn is_files(self) -> bool {
        matches!(self, Self::FilesModified | Self::FilesRead)
    }

    /// Its items hold until they are taken back, however old they are.
    pub(super) fn stands(self) -> bool {
        matches!(self, Self::Constraints | Self::Decisions | Self::Learnings)
    }

    /// Share of the room that is its own, 0..1, before the sections compete.
    pub(super) fn floor(self) -> f64 {
        match self {
            Self::Decisions => 0.26,
            Self::Constraints => 0.22,
            Self::Tasks => 0.14,
            Self::FilesModified => 0.10,
            Self::OpenItems | Self::Blocked => 0.06,
            Self::Done => 0.03,
            _ => 0.0,
        }
    }

    /// An agent without one of these goes wrong: the best of each is taken before anything of the others.
    pub(super) fn comes_first(self) -> bool {
        self.floor() > 0.0 && self.weight() >= 0.8
    }

    /// Worth of a fresh item that has to do with the request, 0..1: what breaks if the agent does not know it.
    pub(super) fn weight(self) -> f64 {
        match self {
            Self::Constraints | Self::Blocked => 1.0,
            Self::Decisions | Self::Agents => 0.95,
            Self::Tasks => 0.85,
            Self::OpenItems => 0.8,
            Self::FilesModified => 0.6,
            Self::Learnings | Self::Done => 0.5,
            Self::Thread => 0.35,
            Self::FilesRead | Self::Errors => 0.3,
            Self::Tools => 0.05,
        }
    }

    /// What is left of that worth when an item is the oldest of its section and has nothing to do with the request,
    /// 0..1: a constraint does not age, a live decision hardly, a task that nobody came back to may be done.
    pub(super) fn lasting(self) -> f64 {
        match self {
            Self::Constraints | Self::Agents => 0.85,
            Self::Decisions | Self::Learnings | Self::Blocked => 0.65,
            _ => 0.4,
        }
    }

    /// How much less each further item of the section is worth: of fifty tasks five tell where the work stands.
    pub(super) fn saturation(self) -> f64 {
        match self {
            Self::Constraints | Self::Decisions => 0.12,
            _ if self.shape() == Shape::Bullets => 0.3,
            _ => 0.08,
        }
    }

    /// Longest item in graphemes; the rest is in the checkpoint.
    pub(super) fn longest(self) -> usize {
        match self {
            Self::Constraints | Self::Decisions | Self::OpenItems | Self::Blocked => 150,
            Self::FilesModified | Self::FilesRead => 160,
            Self::Tasks | Self::Learnings | Self::Agents | Self::Thread => 120,
            Self::Errors => 100,
            Self::Done => 80,
            Self::Tools => 40,
        }
    }
}
