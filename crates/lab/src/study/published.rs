//! The papers' published tables.

/// Rows of a table by the names of its columns; lines that begin with `#` name the source.
pub struct PublishedTable {
    columns: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

/// Table 1 of Bertier, Arantes and Sens 2004.
pub fn hierarchical() -> PublishedTable {
    PublishedTable::read(include_str!("../../data/hierarchical-table1.csv"))
}

/// Tables 1 and 2 of Quinson and Vernier 2009.
pub fn ranged() -> PublishedTable {
    PublishedTable::read(include_str!("../../data/ranged-locks-tables.csv"))
}

impl PublishedTable {
    fn read(text: &'static str) -> Self {
        let mut lines = text.lines().filter(|l| !l.starts_with('#')).map(|l| l.split(',').collect::<Vec<_>>());
        PublishedTable { columns: lines.next().unwrap_or_default(), rows: lines.collect() }
    }

    /// The number in a column of the first row with these values, where there is one.
    pub fn number(&self, at: &[(&str, &str)], column: &str) -> Option<f64> {
        let place = |name: &str| self.columns.iter().position(|c| *c == name);
        let fits = |row: &&Vec<&str>| {
            at.iter().all(|(name, value)| place(name).and_then(|i| row.get(i)).is_some_and(|v| v == value))
        };
        self.rows.iter().find(fits)?.get(place(column)?)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn cells_are_found() {
        let table = super::hierarchical();
        assert_eq!(table.number(&[("algorithm", "Preempt"), ("epsilon", "3")], "global_messages"), Some(79.0));
        let at = [("size", "64kb"), ("range", "1/16"), ("alpha", "1"), ("algorithm", "SWQ"), ("nodes", "162")];
        assert_eq!(super::ranged().number(&at, "value_s"), Some(116.0));
        assert_eq!(super::ranged().number(&[("nodes", "163")], "value_s"), None);
    }
}
